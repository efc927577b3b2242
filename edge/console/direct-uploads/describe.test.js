import assert from "node:assert/strict";
import { test } from "node:test";
import { countdown, describeUpload, labelOf, nameOf, rulesOf, textOf } from "./describe.js";

const upload = (change = {}) => ({
  state: "open", expires_at_unix: 100, fields: {}, allowed_origin: null, max_bytes: null, max_duration_ms: null,
  requires_release: false, ...change,
});

test("an open token is expired from its end on", () => {
  assert.deepEqual([99, 100].map((now) => describeUpload(upload(), now).word), ["Open", "Expired"]);
  assert.equal(describeUpload(upload({ state: "used" }), 100).word, "Used");
  assert.equal(describeUpload(upload({ state: "added_later" }), 0).word, "added later");
});

test("it is told by its external id, else by where it may be used", () => {
  const origin = { allowed_origin: "https://app.example" };
  assert.equal(nameOf(upload({ ...origin, fields: { external_id: "user-7" } })), "user-7");
  assert.equal(nameOf(upload(origin)), "app.example");
  assert.equal(nameOf(upload()), "Apps and programs");
  assert.equal(nameOf(upload(origin), "https://app.example"), "Uploaded in this console");
});

test("its rules are one line", () => {
  const rules = { fields: { external_id: "a" }, max_bytes: 2e8, max_duration_ms: 60_000, requires_release: true };
  assert.equal(rulesOf(upload(rules)), "apps and programs · at most 200 MB · at most 1:00 · needs release");
  assert.equal(rulesOf(upload()), "");
});

test("a field and its value are told in words; unknown ones by their own names", () => {
  assert.equal(`${labelOf("is_ai_generated")}: ${textOf("is_ai_generated", "true")}`, "AI-generated: Yes");
  assert.equal(`${labelOf("visibility")}: ${textOf("visibility", "unlisted")}`, "Visibility: Unlisted");
  assert.equal(`${labelOf("added_later")}: ${textOf("added_later", "x")}`, "added_later: x");
});

test("a countdown has seconds in the last hour", () => {
  assert.deepEqual([0, -5, 9, 3599, 3600, 86_399].map(countdown),
    ["0:00", "0:00", "0:09", "59:59", "1 h 00 min", "23 h 59 min"]);
});
