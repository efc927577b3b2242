import assert from "node:assert/strict";
import { test } from "node:test";
import { caughtInWords } from "./text.js";

test("what a hash has caught is counted up to 100", () => {
  const words = [1, 3, 99, 100].map(caughtInWords);
  assert.deepEqual(words, ["Caught 1 video", "Caught 3 videos", "Caught 99 videos", "Caught 100+ videos"]);
});
