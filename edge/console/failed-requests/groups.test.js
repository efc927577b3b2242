import assert from "node:assert/strict";
import { test } from "node:test";
import { atLeast, HOUR, hourly, lastDay, sum } from "./counts.js";
import { combine, credentialName, groupsOf } from "./groups.js";

const SINCE = 1_795_000_000 - (1_795_000_000 % HOUR);
const NOW = SINCE + 168 * HOUR + 600;

/** @returns {any} */
const report = (/** @type {[number, string, number][]} */ counts, requests = []) => ({
  success: true, since_unix: SINCE, is_complete: true, requests,
  counts: counts.map(([hour, error_message_code, count]) =>
    ({ hour_unix: SINCE + hour * HOUR, error_message_code, count })),
});

test("counts lie in their hours, up to the current one", () => {
  const hours = hourly(report([[168, "a", 2], [168, "b", 1], [0, "a", 5]]), NOW);
  assert.deepEqual([hours.length, hours[0], hours[168], sum(hours)], [169, 5, 3, 8]);
  assert.deepEqual(hourly(report([[3, "a", 1], [3, "b", 4]]), NOW, "b")[3], 4);
});

test("a reader's clock that is wrong moves nothing", () => {
  assert.deepEqual([0, NOW + 90 * 86_400].map((now) => hourly(report([[100, "a", 2]]), now).length), [168, 169]);
  assert.equal(hourly(report([[100, "a", 2]]), 0)[100], 2);
  assert.equal(hourly(report([[168, "a", 2]]), 0)[168], 2);
});

test("the last day has 24 hours, the current one included", () => {
  assert.equal(lastDay(report([[168, "a", 1], [145, "a", 10], [144, "a", 100]]), NOW), 11);
  assert.equal(lastDay(report([]), NOW), 0);
});

test("what happens now comes first, with its last request", () => {
  const requests = [{ at_unix: NOW - 60, error_message_code: "now" }];
  const groups = groupsOf(report([[168, "now", 1], [100, "often", 50], [20, "rare", 1]], requests), NOW);
  assert.deepEqual(groups.map(({ code, day, week }) => [code, day, week]),
    [["now", 1, 1], ["often", 0, 50], ["rare", 0, 1]]);
  assert.deepEqual(groups.map(({ lastSeen }) => lastSeen), [NOW - 60, SINCE + 100 * HOUR, SINCE + 20 * HOUR]);
});

test("a request that is not counted yet has its group", () => {
  const groups = groupsOf(report([], [{ at_unix: NOW, error_message_code: "new" }]), NOW);
  assert.deepEqual(groups.map(({ code, week, lastSeen }) => [code, week, lastSeen]), [["new", 0, NOW]]);
});

test("hours are added up from the last one, and none is lost", () => {
  assert.deepEqual(combine([1, 2, 3, 4, 5, 6, 7], 3), [1, 9, 18]);
  assert.deepEqual(combine([1, 2, 3], 1), [1, 2, 3]);
});

test("lower bounds and new kinds of credentials are shown as such", () => {
  assert.deepEqual([atLeast(1200, true), atLeast(1, false, "request")], ["1,200", "at least 1 request"]);
  assert.deepEqual([credentialName("direct_upload_token"), credentialName("new_kind")], ["One-time token", "new kind"]);
});
