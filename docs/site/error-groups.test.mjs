// Each error code is in the group that says what the reader can do.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { groupErrors } from "./error-groups.mjs";
import { readErrors } from "./errors.mjs";

const errors = readErrors(readFileSync("docs/errors.md", "utf8"));
const groups = groupErrors(errors);
const codesOf = (id) => groups.find((group) => group.id === id).errors.map(({ code }) => code);

test("each code is in one group", () => {
  const codes = groups.flatMap(({ errors }) => errors.map(({ code }) => code));
  assert.deepEqual(codes.sort(), errors.map(({ code }) => code).sort());
});

test("the errors that the guide tells readers to retry are those that can be retried", () => {
  const guide = readFileSync("docs/publish/errors-and-retries.md", "utf8");
  const [, list] = guide.match(/^const RETRYABLE = (\[[^\]]*\])/m);
  for (const code of JSON.parse(list.replace(/,\s*\]/, "]"))) assert.ok(codesOf("retry").includes(code), code);
});

test("a daily limit is no error to retry", () => {
  assert.deepEqual(codesOf("daily-limit").sort(), ["content_upload_limit_failure", "daily_change_limit_reached"]);
  assert.ok(!codesOf("retry").includes("content_upload_limit_failure"));
});
