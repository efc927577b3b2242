import assert from "node:assert/strict";
import { test } from "node:test";
import { describeState } from "./states.js";

test("a video in processing shows its stage, with a percentage once there is one", () => {
  assert.deepEqual(describeState({ state: "processing", stage: "transcode", progress_percent: 40 }),
    { word: "Processing", tone: "work", percent: 40, at: null });
  assert.equal(describeState({ state: "processing", stage: "queued", progress_percent: 0 }).percent, null);
  assert.equal(describeState({ state: "processing", stage: "moderate", progress_percent: 100 }).word, "In review");
});

test("a scheduled video shows its time, unless it waits for a release", () => {
  assert.equal(describeState({ state: "scheduled", scheduled_publish_at_unix: 5 }).at, 5);
  const held = { state: "scheduled", scheduled_publish_at_unix: 5, needs_release: true };
  assert.equal(describeState(held).word, "Needs release");
});

test("states and stages that are added later are shown", () => {
  assert.equal(describeState({ state: "on_hold" }).word, "on hold");
  assert.equal(describeState({ state: "processing", stage: "polish" }).word, "Processing");
});
