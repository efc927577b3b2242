import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, counted, duration, relativeTime, titleOf, wait } from "./format.js";

test("sizes are in decimal units, with three digits at most", () => {
  assert.deepEqual([0, 999, 1000, 1500, 95_000_000, 999_600, 2_000_000_000, 5_571_510].map(bytes),
    ["0 bytes", "999 bytes", "1 KB", "1.5 KB", "95 MB", "1 MB", "2 GB", "5.6 MB"]);
});

test("durations are read as a player shows them", () => {
  assert.deepEqual([0, 1400, 59_600, 119_000, 3_723_000].map(duration), ["0:00", "0:01", "1:00", "1:59", "1:02:03"]);
});

test("a time to wait is rounded up, so that it is never too short", () => {
  assert.deepEqual([0, 1, 59.2, 61, 3600, 3660, 7320].map(wait),
    ["1 second", "1 second", "60 seconds", "2 minutes", "1 h", "1 h 1 min", "2 h 2 min"]);
});

test("times are relative for a week, then dates", () => {
  const now = 1_795_849_751;
  assert.deepEqual([0, 5, 30, -30, -120, 7200, -86_400].map((seconds) => relativeTime(now + seconds, now)),
    ["just now", "just now", "in a moment", "just now", "2 minutes ago", "in 2 hours", "yesterday"]);
  assert.match(relativeTime(now - 30 * 86_400, now), /^\w{3} \d+, 2026$/);
});

test("a video is named by the first line of its caption", () => {
  assert.deepEqual(["One\nTwo", " a "].map(titleOf), ["One", "a"]);
  for (const nothing of [null, "", "  \n"]) assert.equal(titleOf(nothing), "Untitled video");
  assert.equal(counted(1, "upload") + counted(0, "upload"), "1 upload0 uploads");
});
