import assert from "node:assert/strict";
import { test } from "node:test";
import { choices, filtered } from "./filters.js";

const entries = [
  { number: 3, action: "reject", actor: "Ada" }, { number: 2, action: "reject", actor: "Bo" },
  { number: 1, action: "approve", actor: "Ada" },
];
const numbers = (filter) => filtered(entries, filter).map(({ number }) => number);

test("entries are filtered by action and by person", () => {
  assert.deepEqual(numbers({ action: "", actor: "" }), [3, 2, 1]);
  assert.deepEqual(numbers({ action: "reject", actor: "" }), [3, 2]);
  assert.deepEqual(numbers({ action: "reject", actor: "Ada" }), [3]);
  assert.deepEqual(numbers({ action: "restore", actor: "" }), []);
});

test("choices are sorted, each once, with the chosen one", () => {
  const label = (value) => value.toUpperCase();
  assert.deepEqual(choices(["b", "a", "b"], "c", label).map(({ label }) => label), ["A", "B", "C"]);
  assert.deepEqual(choices(["b"], "", label), [{ value: "b", label: "B" }]);
});
