import assert from "node:assert/strict";
import { test } from "node:test";
import { checkedOf, listedAtOpening } from "./similar.js";

const videos = (names) => [...names].map((uuid) => ({ uuid }));
const checked = (free, atOpening, choices = {}) =>
  checkedOf(videos(free), { atOpening, choices: new Map(Object.entries(choices)) }).map(({ uuid }) => uuid).join("");

test("the videos that were listed when the case was opened are checked, and those that join later are not", () => {
  const atOpening = listedAtOpening(null, videos("ab"), true);
  assert.equal(checked("ab", atOpening), "ab");
  const later = listedAtOpening(atOpening, videos("abc"), true);
  assert.equal(checked("abc", later), "ab");
  assert.equal(checked("b", later), "b");
});

test("a case without similar videos at first includes none that join", () => {
  const atOpening = listedAtOpening(null, [], true);
  assert.equal(checked("a", listedAtOpening(atOpening, videos("a"), true)), "");
});

test("a case that is opened before the list was read waits for the list", () => {
  const atOpening = listedAtOpening(null, [], false);
  assert.equal(atOpening, null);
  assert.equal(checked("a", atOpening), "");
  assert.equal(checked("ab", listedAtOpening(atOpening, videos("ab"), true)), "ab");
});

test("what the moderator checks or unchecks counts, whenever a video joined", () => {
  const atOpening = listedAtOpening(null, videos("ab"), true);
  assert.equal(checked("abc", atOpening, { a: false, c: true }), "bc");
  assert.equal(checked("abc", atOpening, { a: true, c: false }), "ab");
});
