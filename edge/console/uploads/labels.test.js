import assert from "node:assert/strict";
import { test } from "node:test";
import { labelsOf, visibilityOf, whoCanWatch } from "./labels.js";

/** @returns {any} */
const video = (/** @type {object} */ fields = {}) => ({
  visibility: "public", is_sensitive: false, is_ai_generated: false, moderator_labels: [], ...fields,
});

test("the labels are named with who set them", () => {
  assert.equal(labelsOf(video()), null);
  assert.equal(labelsOf(video({ is_ai_generated: true })), "AI-generated");
  const both = { is_sensitive: true, is_ai_generated: true, moderator_labels: ["is_sensitive"] };
  assert.equal(labelsOf(video(both)), "Sensitive (set by a moderator), AI-generated");
});

test("an unlisted video is only for those with the link", () => {
  assert.equal(visibilityOf(video({ visibility: "unlisted" })), "Unlisted");
  assert.match(whoCanWatch(video({ visibility: "unlisted" })), /with the link/);
  assert.doesNotMatch(whoCanWatch(video()), /link/);
});

test("a visibility that this page does not know is shown by its own name", () =>
  assert.equal(visibilityOf(video({ visibility: "members" })), "members"));
