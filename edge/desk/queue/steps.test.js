import assert from "node:assert/strict";
import { test } from "node:test";
import { foldGroups } from "./fold.js";
import { neighbour, nextCase } from "./steps.js";

const row = (uuid) => ({ uuid, waitsFor: "person", claim: null, isGone: false });
const shown = (uuids, group = "", pending = "") => {
  const groups = [{ content_uuids: [...group], is_same_file: false }];
  return foldGroups([...uuids].map(row), groups, (uuid) => pending.includes(uuid));
};

test("the next row is the following one, without an end at the ends", () => {
  const rows = shown("abc");
  assert.equal(neighbour(rows, "a", 1).uuid, "b");
  assert.equal(neighbour(rows, "c", 1), null);
  assert.equal(neighbour(rows, null, 1).uuid, "a");
  assert.equal(neighbour(rows, null, -1).uuid, "c");
});

test("the next case skips what needs nobody, and begins again at the top", () => {
  const rows = shown("abc");
  const isOpen = ({ uuid }) => uuid !== "b";
  assert.equal(nextCase(rows, "a", isOpen).uuid, "c");
  assert.equal(nextCase(rows, "c", isOpen).uuid, "a");
  assert.equal(nextCase(rows, "a", ({ uuid }) => uuid === "a"), null);
});

test("a group is one step from any of its videos", () => {
  const rows = shown("abcd", "bc");
  assert.equal(neighbour(rows, "a", 1).uuid, "b");
  assert.equal(neighbour(rows, "c", 1).uuid, "d");
  assert.equal(neighbour(rows, "c", -1).uuid, "a");
  assert.equal(nextCase(rows, "c", () => true).uuid, "d");
});

test("what is left of a group after a decision about a part of it comes again at the end", () => {
  assert.equal(nextCase(shown("abc", "abc", "ab"), "a", () => true).uuid, "c");
  assert.equal(nextCase(shown("abcx", "abc", "ab"), "a", () => true).uuid, "x");
  assert.equal(nextCase(shown("abc", "abc"), "a", () => true), null);
});
