import assert from "node:assert/strict";
import { test } from "node:test";
import { BINDINGS, commandOf } from "./keymap.js";

const press = (key, more = {}) =>
  ({ key, code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, repeat: false, ...more });
const id = (key, more, focus = "none") => commandOf(press(key, more), focus)?.id ?? null;

test("no key has two meanings", () => {
  const keys = BINDINGS.flatMap((binding) => binding.keys);
  assert.equal(new Set(keys).size, keys.length);
});

test("no key acts while a text field has the focus", () => {
  for (const key of [..."jkarthdoeu/?123456789 ,.mbnx", "Enter", "Escape"]) assert.equal(id(key, {}, "text"), null, key);
  assert.equal(id("k", { ctrlKey: true }, "text"), null);
});

test("a button keeps its own keys, and every other key acts", () => {
  assert.equal(id(" ", {}, "control"), null);
  assert.equal(id("Enter", {}, "control"), null);
  assert.equal(id("a", {}, "control"), "approve");
  assert.equal(id(" "), "play");
});

test("a decision needs a new press of the key, and no other key with it", () => {
  assert.equal(id("a", { repeat: true }), null);
  assert.equal(id("j", { repeat: true }), "next-row");
  for (const held of ["ctrlKey", "metaKey", "altKey", "shiftKey"]) assert.equal(id("a", { [held]: true }), null, held);
});

test("Ctrl-K and ⌘K open the commands", () => {
  assert.equal(id("k", { ctrlKey: true }), "palette");
  assert.equal(id("k", { metaKey: true }), "palette");
});

test("a digit is the number of a policy", () => {
  assert.deepEqual(commandOf(press("7"), "none"), { id: "policy", number: 7 });
  assert.equal(id("0"), null);
});

test("Caps Lock and keyboards of other scripts do not matter", () => {
  assert.equal(id("A"), "approve");
  assert.equal(id("ф", { code: "KeyA" }), "approve");
  assert.equal(id("?", { shiftKey: true }), "help");
});
