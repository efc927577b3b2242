import assert from "node:assert/strict";
import { test } from "node:test";
import { settle } from "./settle.js";

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
