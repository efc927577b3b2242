import assert from "node:assert/strict";
import { test } from "node:test";
import { actionsOf, isInReview, nameOf, publishesAtOnce, stateOf, stateWord, titleOf, waitingFor } from "./states.js";

/** @returns {any} */
const video = (/** @type {object} */ fields) => ({
  state: "published", stage: null, progress_percent: 100, detail: null, needs_release: false, caption: null,
  scheduled_publish_at_unix: null, check_after_seconds: null, ...fields,
});
const processing = (/** @type {object} */ fields) => video({ state: "processing", stage: "transcode", ...fields });

test("processing has a percentage, every other state has none", () => {
  assert.deepEqual(stateOf(processing({ progress_percent: 43 })), { word: "Processing", tone: "busy", percent: 43 });
  assert.equal(stateOf(video({})).percent, null);
});

test("a video that waits for a moderator is in review, not at 100 percent", () => {
  const waiting = processing({ stage: "moderate", detail: "A moderator has to review it." });
  assert.ok(isInReview(waiting));
  assert.deepEqual(stateOf(waiting), { word: "In review", tone: "warn", percent: null });
  assert.equal(waitingFor(waiting), "A moderator has to review it.");
});

test("a state that this page does not know is shown as it is, and allows what every state allows", () => {
  const unknown = video({ state: "paused" });
  assert.equal(stateOf(unknown).word, "paused");
  assert.equal(stateWord("paused"), "paused");
  const allowed = Object.entries(actionsOf(unknown)).filter(([, may]) => may).map(([name]) => name);
  assert.deepEqual(allowed, ["editOwnData", "remove"]);
});

test("only what waits says so", () => {
  assert.equal(waitingFor(video({})), null);
  assert.equal(waitingFor(video({ state: "failed", detail: "No disk." })), null);
  assert.match(waitingFor(processing({ stage: "queued" })) ?? "", /free machine/);
  assert.match(waitingFor(processing({ stage: "new_stage" })) ?? "", /being processed/);
  assert.match(waitingFor(video({ state: "scheduled" })) ?? "", /at its time/);
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

test("a caption is one line, and a name is short", () => {
  assert.equal(titleOf(video({ caption: " a\n\n b\t " })), "a b");
  assert.equal(titleOf(video({ caption: " \n " })), null);
  assert.equal(nameOf(video({})), "Untitled video");
  assert.equal([...nameOf(video({ caption: "😀".repeat(2200) }))].length, 60);
});
