import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { adviceFor, captionsFailure, thumbnailFailure } from "./advice.js";

test("every code of a rejected or failed video has its own advice", () => {
  const documented = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8")
    .split("## Codes of videos")[1].matchAll(/^\| `(\w+)` \|/gm);
  const unknown = adviceFor({ state: "failed", error_message_code: "new_code" });
  for (const [, code] of documented) {
    const advice = adviceFor({ state: "failed", error_message_code: code });
    assert.notDeepEqual(advice, unknown, code);
  }
});

test("a removed video cannot be uploaded again, whatever the code", () => {
  const advice = adviceFor({ state: "taken_down", error_message_code: "content_processing_failed" });
  assert.equal(advice.canUploadAgain, false);
});

test("the site's support is named only where no appeal is possible", () => {
  for (const state of ["rejected", "taken_down"]) {
    const video = { state, error_message_code: "content_moderation_rejected" };
    assert.match(adviceFor({ ...video, can_appeal_until_unix: null }).text, /support/);
    assert.doesNotMatch(adviceFor({ ...video, can_appeal_until_unix: 7 }).text, /support/);
  }
});

test("a failed change says what to do, also for a code that is not known", () => {
  for (const text of [thumbnailFailure(null), captionsFailure("new"), captionsFailure("content_captions_invalid")]) {
    assert.match(text, /(Try|Upload|Choose)/);
  }
});
