import assert from "node:assert/strict";
import { test } from "node:test";
import { lanesOf } from "./timeline.js";

const finding = (check, from_ms, until_ms) => ({ check, recommendation: "pass", from_ms, until_ms });

test("a finding lies where it is in the video", () => {
  const [lane] = lanesOf([finding("black", 2000, 4000)], 10_000);
  assert.deepEqual(lane.marks, [{ at: 2, start: 20, width: 20 }]);
});

test("findings of one kind share a line, and those without a time have none", () => {
  const findings = [finding("black", 0, 10), finding("black", 500, 900), finding("loud", 1, 2), finding("report")];
  const lanes = lanesOf(findings, 1000).map(({ name, marks }) => [name, marks.length]);
  assert.deepEqual(lanes, [["Black picture", 2], ["Much louder than the rest", 1]]);
});

test("a mark can be hit, and never leaves the line", () => {
  for (const [from, until] of [[0, 0], [9999, 10_000], [20_000, 30_000], [5000, 4000]]) {
    const [{ marks: [{ start, width }] }] = lanesOf([finding("black", from, until)], 10_000);
    assert.ok(start >= 0 && width >= 1.5 && start + width <= 100, `${from}: ${start} + ${width}`);
  }
  assert.deepEqual(lanesOf([finding("black", 0, 1)], 0), []);
});
