import assert from "node:assert/strict";
import { test } from "node:test";
import { nextPause, statusPause } from "./pause.js";

test("pauses grow from 2 to 30 seconds while nothing changes", () => {
  let pause = 0;
  const pauses = Array.from({ length: 10 }, () => (pause = nextPause(pause, { hasChanged: false })));
  assert.equal(pauses[0], 2);
  assert.equal(pauses.at(-1), 30);
  assert.ok(pauses.every((one, at) => at === 0 || one >= pauses[at - 1]));
});

test("a change makes the next pause short", () => assert.equal(nextPause(30, { hasChanged: true }), 2));

test("the service's wish is honoured, even when it is longer", () =>
  assert.equal(nextPause(2, { hasChanged: true, retryAfter: 90 }), 90));

test("a final status is not asked for again", () =>
  assert.equal(statusPause(2, { hasChanged: true, advice: null }), null));

test("a status is asked for as often as advised, but at least every 30 seconds", () => {
  assert.equal(statusPause(0, { hasChanged: false, advice: 5 }), 5);
  assert.equal(statusPause(0, { hasChanged: false, advice: 300 }), 30);
});
