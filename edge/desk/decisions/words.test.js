import assert from "node:assert/strict";
import { test } from "node:test";
import { describeDecision } from "./words.js";

test("a decision has a word and a tone", () => {
  assert.deepEqual(describeDecision("take_down"), { word: "Taken down", tone: "bad" });
  assert.deepEqual(describeDecision("reject_appeal"), { word: "Appeal rejected", tone: "none" });
  assert.deepEqual(describeDecision("restore"), { word: "Restored", tone: "ok" });
});

test("an unknown action is shown by its own name", () => {
  assert.deepEqual(describeDecision("set_labels"), { word: "set labels", tone: "none" });
});
