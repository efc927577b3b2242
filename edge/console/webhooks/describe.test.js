import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { adviceFor, describeDelivery, describeResponse, describeTypes, describeWebhook, EVENT_GROUPS,
  isAccepted } from "./describe.js";

const answer = (status, failure = null) => ({ status, failure, latency_ms: 1234, body_start: null });

test("every type of event that the API can send can be chosen, and no other", () => {
  const { components } = JSON.parse(readFileSync(new URL("../../site/openapi.json", import.meta.url), "utf8"));
  const known = components.schemas.KnownEventType.enum.filter((type) => type !== "webhook.test");
  assert.deepEqual(EVENT_GROUPS.flatMap(({ types }) => types.map(({ type }) => type)).sort(), known.sort());
});

test("only 200 to 299 is a success, and everything else says what to do", () => {
  for (const status of [200, 204, 299]) assert.ok(isAccepted(answer(status)) && adviceFor(answer(status)) === null);
  for (const status of [199, 300, 307, 400, 404, 410, 418, 500, 503]) {
    assert.ok(!isAccepted(answer(status)) && adviceFor(answer(status)), `${status}`);
  }
  for (const failure of ["timeout", "unreachable", "address_refused", "added_later"]) {
    assert.ok(!isAccepted(answer(null, failure)) && adviceFor(answer(null, failure)), failure);
  }
  assert.notEqual(adviceFor(answer(307)), adviceFor(answer(418)));
});

test("a response is its status and time, or why there was none", () => {
  assert.equal(describeResponse(answer(200)), "200 in 1,234 ms");
  assert.equal(describeResponse(answer(null, "timeout")), "Timed out");
  assert.equal(describeResponse(answer(null, "added_later")), "No response");
  assert.equal(describeResponse(null), null);
});

test("an active webhook whose attempts fail is told apart from one that works", () => {
  assert.equal(describeWebhook({ state: "active", failures: 0 }).tone, "ok");
  assert.deepEqual(describeWebhook({ state: "active", failures: 2 }), { word: "Failing", tone: "bad" });
  assert.equal(describeWebhook({ state: "disabled", failures: 2 }).word, "Paused");
  assert.equal(describeWebhook({ state: "added_later", failures: 0 }).word, "added later");
});

test("a pending delivery is being sent, waits for an earlier one, or is tried again", () => {
  const pending = { state: "pending", attempts: 0, next_attempt_at_unix: 5 };
  assert.equal(describeDelivery(pending).word, "Sending");
  assert.equal(describeDelivery({ ...pending, next_attempt_at_unix: null }).word, "Waiting");
  assert.equal(describeDelivery({ ...pending, attempts: 3 }).word, "Retrying");
});

test("few types are listed, many are counted", () => {
  assert.equal(describeTypes(null), "All events");
  assert.equal(describeTypes(["a", "b", "c"]), "a, b, c");
  assert.equal(describeTypes(["a", "b", "c", "d"]), "a, b and 2 more");
});
