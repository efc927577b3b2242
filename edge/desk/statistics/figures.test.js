import assert from "node:assert/strict";
import { test } from "node:test";
import { byAction, isEmpty, summary, timeTaken, totalOf } from "./figures.js";

const row = (action, policy_code, number) => ({ action, policy_code, number, median_seconds: null });
const NO_APPEALS = { made: 0, granted: 0, rejected: 0 };
const NOTHING = { month: "2026-11", decisions: [], automatic_rejections: 0, appeals: NO_APPEALS };

test("decisions are grouped by action, each with its total", () => {
  const rows = [row("approve", null, 31), row("reject", "violence", 12), row("reject", "spam", 3)];
  const groups = byAction(rows);
  assert.deepEqual(groups.map(({ action, total }) => [action, total]), [["approve", 31], ["reject", 15]]);
  assert.deepEqual(groups[1].rows, rows.slice(1));
  assert.equal(totalOf(groups.flatMap((group) => group.rows)), 46);
  assert.deepEqual(byAction([]), []);
});

test("an action may have any name", () => {
  assert.deepEqual(byAction([row("constructor", null, 1)]).map(({ action }) => action), ["constructor"]);
});

test("a month is empty if nothing in it was counted", () => {
  assert.ok(isEmpty(NOTHING));
  assert.ok(!isEmpty({ ...NOTHING, decisions: [row("approve", null, 1)] }));
  assert.ok(!isEmpty({ ...NOTHING, automatic_rejections: 1 }));
  for (const kind of ["made", "granted", "rejected"]) {
    assert.ok(!isEmpty({ ...NOTHING, appeals: { ...NO_APPEALS, [kind]: 1 } }), kind);
  }
});

test("a month is a sentence", () => {
  assert.equal(summary({ ...NOTHING, decisions: [row("approve", null, 1200), row("reject", "spam", 1)] }),
    "1,201 decisions by people, 0 automatic rejections, 0 appeals.");
  assert.equal(summary({ ...NOTHING, decisions: [row("approve", null, 1)], automatic_rejections: 1 }),
    "1 decision by people, 1 automatic rejection, 0 appeals.");
});

test("a time is rounded to what a report can use", () => {
  assert.deepEqual([0, 1, 59.4, 59.5, 340, 3569].map(timeTaken), ["0 s", "1 s", "59 s", "1 min", "6 min", "59 min"]);
  assert.deepEqual([3570, 3600, 7500, 86_369].map(timeTaken), ["1 h", "1 h", "2 h 5 min", "23 h 59 min"]);
  assert.deepEqual([86_370, 90_000, 171_000, 273_600].map(timeTaken), ["1 day", "1 day 1 h", "2 days", "3 days 4 h"]);
});
