import assert from "node:assert/strict";
import { test } from "node:test";
import { claimOfOther, foldGroups, isFree, othersInGroup, othersInWords, rowOf } from "./fold.js";

const row = (uuid, more = {}) => ({ uuid, waitsFor: "person", claim: null, isGone: false, ...more });
const group = (uuids, is_same_file = false) => ({ content_uuids: [...uuids], is_same_file });
const fold = (rows, groups, pending = "") => foldGroups(rows, groups, (uuid) => pending.includes(uuid));
const names = (rows) => rows.map(({ uuid, members }) => `${uuid}${members.length}`).join(" ");

test("without groups, every video is a row of its own", () => {
  const shown = fold([row("a"), row("b")], []);
  assert.equal(names(shown), "a1 b1");
  assert.equal(othersInWords(shown[0]), null);
});

test("a group is one row, that of its first member, at the place of the one that is listed first", () => {
  const shown = fold([row("x"), row("b"), row("y"), row("a"), row("c")], [group("abc")]);
  assert.equal(names(shown), "x1 a3 y1");
  assert.equal(othersInWords(shown[1]), "+2 similar videos");
  assert.deepEqual(rowOf(shown, "c"), shown[1]);
  assert.equal(rowOf(shown, null), null);
});

test("the row says whether the others are copies", () => {
  assert.equal(othersInWords(fold([row("a"), row("b")], [group("ab", true)])[0]), "+1 copy");
  assert.equal(othersInWords(fold([row("a"), row("b"), row("c")], [group("abc", true)])[0]), "+2 copies");
  assert.equal(othersInWords(fold([row("a"), row("b")], [group("ab")])[0]), "+1 similar video");
});

test("when the first member is gone, the next one takes its row and its place", () => {
  const [shown] = fold([row("a", { isGone: true }), row("b"), row("c")], [group("abc")]);
  assert.deepEqual([shown.uuid, shown.key, shown.isGone, shown.members.length], ["b", "a", false, 2]);
  assert.equal(names(fold([row("b"), row("c")], [group("abc")])), "b2");
  assert.equal(othersInWords(fold([row("c")], [group("abc")])[0]), null);
});

test("a group whose members are all gone is one crossed-out row", () => {
  const shown = fold([row("a", { isGone: true }), row("b", { isGone: true })], [group("ab")]);
  assert.deepEqual([names(shown), shown[0].isGone], ["a2", true]);
});

test("members about which a decision is on its way make room for those that are left", () => {
  const rows = [row("a"), row("b"), row("c")];
  assert.equal(names(fold(rows, [group("abc")], "ab")), "c1");
  assert.equal(names(fold(rows, [group("abc")], "abc")), "a3");
  assert.equal(rowOf(fold(rows, [group("abc")], "ab"), "a").uuid, "c");
});

test("a video that no longer waits for a person is not in its group", () => {
  assert.equal(names(fold([row("a", { waitsFor: null }), row("b"), row("c")], [group("abc")])), "a1 b2");
});

test("the others of a video's group are those that are listed, in the group's order", () => {
  const rows = [row("c"), row("b"), row("a"), row("x")];
  const { others, isSameFile } = othersInGroup(rows, [group("abcd", true)], "b");
  assert.deepEqual([others.map(({ uuid }) => uuid), isSameFile], [["a", "c"], true]);
  assert.deepEqual(othersInGroup(rows, [group("abcd")], "x").others, []);
});

test("somebody else's claim to any member counts while it lasts", () => {
  const claim = (by, until_unix) => ({ claim: { by, until_unix } });
  assert.equal(claimOfOther([{ claim: null }, claim("Ada", 9)], "Bo", 8)?.by, "Ada");
  assert.equal(claimOfOther([claim("Bo", 9), claim("Ada", 7)], "Bo", 8), null);
});

test("a decision includes no video that is decided, on its way, or looked at by somebody else", () => {
  const of = { me: "Bo", now: 8, isPending: (uuid) => uuid === "p" };
  const claimed = (by) => row("a", { claim: { by, until_unix: 9 } });
  const rows = [row("a"), claimed("Bo"), claimed("Ada"), row("p"), row("a", { isGone: true })];
  assert.deepEqual(rows.map((one) => isFree(one, of)), [true, true, false, false, false]);
});
