import assert from "node:assert/strict";
import { test } from "node:test";
import { appealMistake, describeAppeal, isAppealable } from "./appeals.js";

const appeal = (/** @type {any} */ state) =>
  ({ state, made_at_unix: 1000, decided_at_unix: state === "pending" ? null : 86_400 * 20 });
const text = (/** @type {string} */ state, /** @type {string} */ outcome) =>
  describeAppeal({ state: /** @type {any} */ (state), appeal: appeal(outcome) })?.text ?? null;

test("an owner reads what became of an appeal", () => {
  assert.equal(describeAppeal({ state: "rejected", appeal: appeal("pending") })?.sentAtUnix, 1000);
  const rejected = /^Your appeal was rejected on \w+ \d+, 1970\. The decision stands\.$/;
  assert.match(text("taken_down", "rejected") ?? "", rejected);
  assert.equal(text("published", "granted"), "Your appeal was granted.");
});

test("nothing is said of an appeal that the video's state has overtaken", () => {
  assert.equal(describeAppeal({ state: "published", appeal: null }), null);
  assert.equal(text("rejected", "granted"), null);
  assert.equal(text("published", "rejected"), null);
  assert.equal(text("deleted", "pending"), null);
});

test("an appeal needs a text of at most 1,000 characters", () => {
  assert.equal(appealMistake(" \n"), "Say why the decision is wrong.");
  assert.equal(appealMistake("😀".repeat(1000)), null);
  assert.equal(appealMistake("😀".repeat(1002)), "Too long by 2 characters.");
});

test("a decision is appealable while an appeal is possible, and once it was made", () => {
  assert.equal(isAppealable({ appeal: null, can_appeal_until_unix: null }), false);
  assert.equal(isAppealable({ appeal: null, can_appeal_until_unix: 7 }), true);
  assert.equal(isAppealable({ appeal: appeal("rejected"), can_appeal_until_unix: null }), true);
  assert.equal(isAppealable({}), false);
});
