import assert from "node:assert/strict";
import { test } from "node:test";
import { appendPage, insertFresh, mergeNewest, removeRow, replaceRow, rowsInView } from "./rows.js";

/** @returns {any} */
const video = (/** @type {number} */ id, state = "published") => ({ content_id: id, content_uuid: `u${id}`, state });
const ids = (/** @type {any[]} */ rows) => rows.map(({ content_id }) => content_id);

test("a page is appended without repeating a row", () => {
  assert.deepEqual(ids(appendPage([video(5), video(4)], [video(4), video(3)])), [5, 4, 3]);
});

test("news changes rows in their places and keeps new videos apart", () => {
  const rows = [video(5, "processing"), video(4), video(1)];
  const news = mergeNewest(rows, { uploads: [video(6), video(5), video(4)], next_cursor: "n" });
  assert.deepEqual(ids(news.rows), [5, 4, 1]);
  assert.equal(news.rows[0].state, "published");
  assert.deepEqual(ids(news.fresh), [6]);
  assert.deepEqual([news.missing, news.hasGap], [[], false]);
});

test("a row that the page should have is missing; one beyond the page is not", () => {
  const rows = [video(5), video(4), video(3), video(1)];
  assert.deepEqual(mergeNewest(rows, { uploads: [video(5), video(3)], next_cursor: "n" }).missing, ["u4"]);
  assert.deepEqual(mergeNewest(rows, { uploads: [video(5), video(3)], next_cursor: null }).missing, ["u4", "u1"]);
  assert.deepEqual(mergeNewest(rows, { uploads: [], next_cursor: null }).missing.length, 4);
});

test("a page of new videos alone may leave a gap", () => {
  assert.equal(mergeNewest([video(1)], { uploads: [video(9), video(8)], next_cursor: "n" }).hasGap, true);
  assert.equal(mergeNewest([video(1)], { uploads: [video(9), video(8)], next_cursor: null }).hasGap, false);
  assert.equal(mergeNewest([], { uploads: [video(9)], next_cursor: "n" }).hasGap, false);
});

test("new videos are put where their time belongs", () => {
  assert.deepEqual(ids(insertFresh([video(5), video(2)], [video(7), video(3), video(2)])), [7, 5, 3, 2]);
});

test("a row is replaced or removed, never added", () => {
  assert.equal(replaceRow([video(1)], video(1, "failed"))[0].state, "failed");
  assert.deepEqual(ids(replaceRow([video(1)], video(2))), [1]);
  assert.deepEqual(ids(removeRow([video(2), video(1)], "u2")), [1]);
});

test("only rows in view are drawn, wherever the list is scrolled to", () => {
  const view = { height: 600, rowHeight: 60, count: 10_000, spare: 2 };
  assert.deepEqual(rowsInView({ ...view, top: 0 }), { start: 0, end: 12 });
  assert.deepEqual(rowsInView({ ...view, top: 6_000 }), { start: 98, end: 112 });
  assert.deepEqual(rowsInView({ ...view, top: 599_700 }), { start: 9_993, end: 10_000 });
  assert.deepEqual(rowsInView({ ...view, top: -300 }), { start: 0, end: 7 });
  assert.deepEqual(rowsInView({ ...view, top: 0, count: 0 }), { start: 0, end: 0 });
  assert.ok(rowsInView({ ...view, top: 900_000 }).start < 10_000);
});
