import assert from "node:assert/strict";
import { test } from "node:test";
import { FORM_FIELDS, formField, judge, newDraft, originOf, requestOf } from "./draft.js";

const draft = (change = {}, fields = {}) => {
  const made = newDraft();
  return { ...made, ...change, fields: { ...made.fields, ...fields } };
};

test("what is left empty is left to the service", () => {
  assert.deepEqual(JSON.parse(JSON.stringify(requestOf(draft()))),
    { expires_in_seconds: 3600, fields: {}, user_may_set: ["caption"], requires_release: false });
});

test("limits are sent in bytes and milliseconds, and each field once", () => {
  const full = draft(
    { origin: "https://app.example/page?x", megabytes: "1.5", seconds: "60", externalId: " user-7 ",
      requiresRelease: true },
    { caption: { who: "owner", value: " Hi " }, metadata: { who: "user", value: "" },
      scheduled_publish_at_unix: { who: "owner", value: "2026-11-28T12:00" } },
  );
  const { allowed_origin, max_bytes, max_duration_ms, external_id, fields, user_may_set } = requestOf(full);
  assert.deepEqual([allowed_origin, max_bytes, max_duration_ms, external_id],
    ["https://app.example", 1_500_000, 60_000, "user-7"]);
  const at = String(new Date("2026-11-28T12:00").getTime() / 1000);
  assert.deepEqual([fields, user_may_set], [{ caption: "Hi", scheduled_publish_at_unix: at }, ["metadata"]]);
  assert.deepEqual(judge(full), {});
});

test("the owner chooses one of the values of a field that has only a few", () => {
  const owner = (value) => ({ who: "owner", value });
  const chosen = draft({}, { visibility: owner("unlisted"), is_sensitive: owner("false"),
    is_ai_generated: { who: "user", value: "" } });
  const { fields, user_may_set } = requestOf(chosen);
  assert.deepEqual(fields, { visibility: "unlisted", is_sensitive: "false" });
  assert.deepEqual(user_may_set, ["caption", "is_ai_generated"]);
  assert.deepEqual(Object.keys(judge(draft({}, { visibility: owner("") }))), ["visibility"]);
});

test("an origin is what browsers send, and only of a page that can have it", () => {
  for (const [text, origin] of [
    ["https://APP.example:443/a", "https://app.example"], ["http://localhost:3000/", "http://localhost:3000"],
    ["http://app.example", null], ["app.example", null], ["ftp://app.example", null], ["javascript:alert(1)", null],
  ]) assert.equal(originOf(text), origin, text);
});

test("each wrong value is told at its field", () => {
  const wrong = draft({ origin: "app", megabytes: "many", seconds: "121", externalId: "x".repeat(129) },
    { caption: { who: "owner", value: " " } });
  assert.deepEqual(Object.keys(judge(wrong)).sort(), ["caption", "externalId", "megabytes", "origin", "seconds"]);
  assert.deepEqual(judge(draft()), {});
});

test("a failure of the service belongs to the field that it names", () => {
  assert.equal(formField("allowed_origin"), "origin");
  for (const { name } of FORM_FIELDS) assert.equal(formField(name), name);
  assert.deepEqual([formField("user_may_set"), formField(null)], [null, null]);
});
