import assert from "node:assert/strict";
import { test } from "node:test";
import { describeReset, describeUploads } from "./quota.js";

const limits = (remaining, limit_amount) => describeUploads(/** @type {any} */ ({ remaining, limit_amount }));

test("the quota warns from a tenth on, and is red when nothing is left", () => {
  assert.deepEqual(limits(44, 50), { left: "44 of 50 uploads left", tone: undefined });
  assert.equal(limits(5, 50).tone, "warn");
  assert.equal(limits(0, 50).tone, "bad");
  assert.equal(limits(1, 1).left, "1 of 1 upload left");
  assert.equal(limits(1000, 1000).left, "1,000 of 1,000 uploads left");
});

test("the reset is a time to wait and a time of day", () => {
  assert.match(describeReset(10_000, 2_800), /^in 2 h, at \d\d:\d\d$/);
  assert.equal(describeReset(10, 10), "now");
});
