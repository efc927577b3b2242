import assert from "node:assert/strict";
import { test } from "node:test";
import { waits } from "./full-quality.js";

test("the first look is after 5 seconds, and the waits grow up to a minute", () => {
  const all = [...waits()];
  assert.equal(all[0], 5_000);
  assert.equal(all.at(-1), 60_000);
  assert.ok(all.every((wait, index) => index === 0 || wait >= all[index - 1]));
});

test("the waits end after an hour", () => {
  const sum = [...waits()].reduce((one, other) => one + other);
  assert.ok(sum > 3_500_000 && sum <= 3_600_000, `${sum}`);
});

test("the first minute has at least five looks", () => {
  const [first, ...rest] = waits();
  let at = first;
  const times = [at, ...rest.map((wait) => (at += wait))];
  assert.ok(times.filter((time) => time <= 60_000).length >= 5, `${times.slice(0, 8)}`);
});
