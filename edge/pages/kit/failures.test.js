import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOfNetwork, failureOfResponse } from "./failures.js";

const failed = (status, body, headers = {}) =>
  failureOfResponse(status, (name) => headers[name] ?? null, body, "https://site.example");

test("the service's own words come first, with the code and its page", () => {
  const code = "content_caption_invalid";
  const failure = failed(422, { error_message_code: code, detail: "It is too long.", field: "caption" });
  const { kind, what, next, field } = failure;
  assert.deepEqual([kind, what, next, field], ["request", "It is too long.", null, "caption"]);
  assert.equal(failure.docs, "https://site.example/docs/errors/content_caption_invalid");
});

test("the page that a response names wins", () => {
  const docs = "https://docs.example/x";
  assert.equal(failed(422, { error_message_code: "x", docs_url: docs }).docs, docs);
});

test("an ended session is told apart from other refusals", () => {
  assert.equal(failed(401, { error_message_code: "session_required" }).kind, "signed_out");
  assert.equal(failed(401, { error_message_code: "api_key_invalid", detail: "…" }).kind, "request");
});

test("too many requests say when to try again", () => {
  const failure = failed(429, { error_message_code: "rate_limited" }, { "Retry-After": "7" });
  assert.deepEqual([failure.kind, failure.retryAfter, failure.next], ["limited", 7, "Try again in 7 seconds."]);
});

test("an answer that is no JSON is the service's failure", () => {
  for (const status of [404, 500, 502]) assert.equal(failed(status, null).kind, "server");
  assert.equal(failed(500, { error_message_code: "internal_error" }, { "x-request-id": "ab" }).requestId, "ab");
});

test("without a response, the network is to blame", () => {
  assert.equal(failureOfNetwork(false).kind, "offline");
  assert.equal(failureOfNetwork(true).kind, "unreachable");
});
