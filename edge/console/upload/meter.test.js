import assert from "node:assert/strict";
import { test } from "node:test";
import { createMeter, timeLeft } from "./meter.js";

test("the rate is unknown for half a second", () => {
  const meter = createMeter();
  meter.add(0, 0);
  meter.add(400, 400);
  assert.equal(meter.rate(), null);
  meter.add(1000, 1000);
  assert.equal(meter.rate(), 1000);
});

test("what was long ago does not count", () => {
  const meter = createMeter();
  for (let second = 0; second < 10; second += 1) meter.add(second * 1000, second * 1000);
  for (let second = 10; second <= 20; second += 1) meter.add(second * 1000, 9000 + second * 100);
  assert.equal(meter.rate(), 100);
});

test("it begins again when a part is sent again, and after a pause", () => {
  const meter = createMeter();
  meter.add(0, 0);
  meter.add(1000, 5000);
  meter.add(1100, 4000);
  assert.equal(meter.rate(), null);
  meter.add(2100, 5000);
  assert.equal(meter.rate(), 1000);
  meter.reset();
  assert.equal(meter.rate(), null);
});

test("the time left is unknown without a rate", () => {
  assert.equal(timeLeft(null, 100), null);
  assert.equal(timeLeft(0, 100), null);
  assert.equal(timeLeft(50, 100), 2);
});
