import assert from "node:assert/strict";
import { test } from "node:test";
import { bounds, fromField, scheduleMistake, toField } from "./schedule.js";

const NOW = 1_795_849_777;

test("a time survives the way through the field, to the minute", () => {
  const minute = Math.floor(NOW / 60) * 60;
  assert.equal(fromField(toField(minute)), minute);
  assert.equal(fromField(""), null);
});

test("the bounds of the field are times that are accepted", () => {
  const { min, max } = bounds(NOW);
  assert.equal(scheduleMistake(min, NOW + 30), null);
  assert.equal(scheduleMistake(max, NOW), null);
});

test("a time that is too early, too late or missing says so", () => {
  assert.match(scheduleMistake(NOW + 60, NOW) ?? "", /at least 5 minutes/);
  assert.match(scheduleMistake(NOW + 200 * 86_400, NOW) ?? "", /within 180 days/);
  assert.match(scheduleMistake(null, NOW) ?? "", /Choose/);
});
