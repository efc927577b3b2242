import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, choices, entriesAbout, filtered, filterOf, splitFilter } from "./filters.js";

const entries = [
  { number: 3, action: "reject", actor: "Ada" }, { number: 2, action: "reject", actor: "Bo" },
  { number: 1, action: "approve", actor: "Ada" },
];
const numbers = (rest) => filtered(entries, rest).map(({ number }) => number);
const NONE = { action: "", actor: "", subject: "" };

test("loaded entries are filtered by action and by person", () => {
  assert.deepEqual(numbers({ action: "", actor: "" }), [3, 2, 1]);
  assert.deepEqual(numbers({ action: "reject", actor: "" }), [3, 2]);
  assert.deepEqual(numbers({ action: "reject", actor: "Ada" }), [3]);
  assert.deepEqual(numbers({ action: "restore", actor: "" }), []);
});

test("the service filters by a subject, or else by a person, and the page does the rest", () => {
  assert.deepEqual(splitFilter(NONE), { asked: {}, rest: { action: "", actor: "" } });
  assert.deepEqual(splitFilter({ ...NONE, action: "reject", actor: "Ada" }),
    { asked: { actor: "Ada" }, rest: { action: "reject", actor: "" } });
  assert.deepEqual(splitFilter({ action: "reject", actor: "Ada", subject: "channel:7" }),
    { asked: { subject: "channel:7" }, rest: { action: "reject", actor: "Ada" } });
});

test("the address has every filter, and nothing else", () => {
  assert.equal(addressOf(NONE), "/desk/audit");
  const all = { action: "reject", actor: "Ada", subject: "channel:7" };
  for (const filter of [NONE, { ...NONE, actor: "key:a…b & c" }, all]) {
    assert.deepEqual(filterOf(new URL(addressOf(filter), "https://a.example").searchParams), filter);
  }
  assert.equal(entriesAbout("channel:7"), "/desk/audit?subject=channel%3A7");
});

test("choices are sorted, each once, with the chosen one", () => {
  const label = (value) => value.toUpperCase();
  assert.deepEqual(choices(["b", "a", "b"], "c", label).map(({ label }) => label), ["A", "B", "C"]);
  assert.deepEqual(choices(new Set(["b"]), "", label), [{ value: "b", label: "B" }]);
});
