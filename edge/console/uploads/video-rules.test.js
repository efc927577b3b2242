import assert from "node:assert/strict";
import { test } from "node:test";
import { actionsOf, conflictText, nameOf, publishesAtOnce, waitingFor } from "./video-rules.js";

/** @returns {any} */
const video = (/** @type {object} */ fields) => ({
  state: "published", stage: null, progress_percent: 100, detail: null, needs_release: false, caption: null,
  scheduled_publish_at_unix: null, check_after_seconds: null, ...fields,
});
const processing = (/** @type {object} */ fields) => video({ state: "processing", stage: "transcode", ...fields });

test("a state that this page does not know allows what every state allows", () => {
  const allowed = Object.entries(actionsOf(video({ state: "paused" }))).filter(([, may]) => may).map(([name]) => name);
  assert.deepEqual(allowed, ["editOwnData", "remove"]);
});

test("only what waits says so", () => {
  assert.equal(waitingFor(video({})), null);
  assert.equal(waitingFor(video({ state: "failed", detail: "No disk." })), null);
  assert.match(waitingFor(processing({ stage: "queued" })) ?? "", /free machine/);
  assert.match(waitingFor(processing({ stage: "new_stage" })) ?? "", /being processed/);
  assert.match(waitingFor(video({ state: "scheduled" })) ?? "", /at the scheduled time/);
});

test("each state allows what the service accepts in it", () => {
  const names = (/** @type {any} */ one) =>
    Object.entries(actionsOf(one)).filter(([, may]) => may).map(([name]) => name).join(" ");
  assert.equal(names(processing({})), "editTexts editOwnData schedule thumbnail captions remove");
  assert.equal(names(video({ state: "scheduled", needs_release: true })),
    "editTexts editOwnData schedule release thumbnail captions remove");
  assert.equal(names(video({})), "editTexts editOwnData thumbnail captions remove");
  assert.equal(names(video({ state: "failed" })), "editTexts editOwnData remove");
  assert.equal(names(video({ state: "rejected" })), "editOwnData remove");
  assert.equal(names(video({ state: "taken_down" })), "editOwnData remove");
  assert.equal(names(video({ state: "deleted" })), "");
});

test("only an approved video becomes public at once, and not before its time by a release", () => {
  assert.equal(publishesAtOnce(processing({}), "publish", 100), false);
  assert.equal(publishesAtOnce(video({ state: "scheduled" }), "release", 100), true);
  assert.equal(publishesAtOnce(video({ state: "scheduled", scheduled_publish_at_unix: 200 }), "release", 100), false);
  assert.equal(publishesAtOnce(video({ state: "scheduled", scheduled_publish_at_unix: 200 }), "publish", 100), true);
});

test("a name is short, whatever the caption", () => {
  assert.equal(nameOf(video({})), "Untitled video");
  assert.equal(nameOf(video({ caption: "\n one \n two" })), "one");
  assert.equal([...nameOf(video({ caption: "😀".repeat(2200) }))].length, 60);
});

test("a conflict names the new state", () => assert.match(conflictText(video({})), /“Published”/));
