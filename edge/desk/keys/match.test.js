import assert from "node:assert/strict";
import { test } from "node:test";
import { matches } from "./match.js";

test("a command is found by its words in any order", () => {
  assert.ok(matches("Undo the last decision", "dec undo"));
  assert.ok(matches("Undo the last decision", ""));
  assert.ok(!matches("Undo the last decision", "undo all"));
});
