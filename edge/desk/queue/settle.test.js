import assert from "node:assert/strict";
import { test } from "node:test";
import { neighbour, nextCase, settle } from "./settle.js";

const item = (uuid, sinceUnix, more = {}) => ({
  uuid, channelId: 1, caption: null, state: "processing", waitsFor: "person", flag: null, appeal: null, findings: [],
  sinceUnix, durationMs: 0, poster: null, posterReadAt: 0, claim: null, ...more,
});
const names = (rows) => rows.map(({ uuid }) => uuid).join("");
const shown = (...items) => settle([], items, false).rows;

test("rows stay in their places while somebody uses the list", () => {
  const rows = shown(item("b", 2), item("c", 3));
  const settled = settle(rows, [item("a", 1), item("c", 3, { claim: { by: "Ada", until_unix: 9 } })], true);
  assert.equal(names(settled.rows), "bc");
  assert.equal(names(settled.fresh), "a");
  assert.deepEqual(settled.rows.map(({ isGone }) => isGone), [true, false]);
  assert.equal(settled.rows[1].claim.by, "Ada");
});

test("otherwise rows are ordered, and those that are gone leave", () => {
  const settled = settle(shown(item("b", 2), item("c", 3)), [item("a", 1), item("c", 3)], false);
  assert.equal(names(settled.rows), "ac");
  assert.deepEqual(settled.fresh, []);
});

test("a row keeps its picture's address for ten minutes", () => {
  const rows = shown(item("a", 1, { poster: "/old", posterReadAt: 1000 }));
  assert.equal(settle(rows, [item("a", 1, { poster: "/new", posterReadAt: 1599 })], true).rows[0].poster, "/old");
  assert.equal(settle(rows, [item("a", 1, { poster: "/new", posterReadAt: 1600 })], true).rows[0].poster, "/new");
});

test("the next row is the following one, without an end at the ends", () => {
  const rows = shown(item("a", 1), item("b", 2), item("c", 3));
  assert.equal(neighbour(rows, "a", 1).uuid, "b");
  assert.equal(neighbour(rows, "c", 1), null);
  assert.equal(neighbour(rows, null, 1).uuid, "a");
  assert.equal(neighbour(rows, null, -1).uuid, "c");
});

test("the next case skips what needs nobody, and begins again at the top", () => {
  const rows = shown(item("a", 1), item("b", 2), item("c", 3));
  const isOpen = ({ uuid }) => uuid !== "b";
  assert.equal(nextCase(rows, "a", isOpen).uuid, "c");
  assert.equal(nextCase(rows, "c", isOpen).uuid, "a");
  assert.equal(nextCase(rows, "a", ({ uuid }) => uuid === "a"), null);
});
