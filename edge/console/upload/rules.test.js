import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY_FORM, fieldsOf, judgeFile, judgeForm, secondsOf } from "./rules.js";

const rules = /** @type {any} */ ({
  max_resumable_bytes: 2_000_000_000, file_extensions: ["mp4", "mov"], min_duration_ms: 2000, max_duration_ms: 120_000,
  max_caption_characters: 2200, max_ai_summary_characters: 5000, min_schedule_ahead_seconds: 300,
  max_schedule_ahead_seconds: 15_552_000,
});
const clip = { name: "clip.mp4", size: 1000, type: "video/mp4" };
const lasting = (durationMs) => ({ durationMs, width: 640, height: 360 });

test("a file that the service accepts has no problem, even if the browser cannot read it", () => {
  assert.equal(judgeFile(clip, lasting(5000), rules), null);
  assert.equal(judgeFile({ ...clip, type: "" }, null, rules), null);
  assert.equal(judgeFile({ ...clip, name: "clip.MOV", type: "" }, null, rules), null);
  assert.equal(judgeFile({ ...clip, name: "clip", type: "video/x-unknown" }, null, rules), null);
  assert.equal(judgeFile(clip, lasting(null), rules), null);
});

test("size is certain; kind and duration may be judged differently by the service", () => {
  assert.equal(judgeFile({ ...clip, size: 0 }, null, rules)?.isSure, true);
  assert.match(judgeFile({ ...clip, size: 2_100_000_000 }, null, rules)?.what ?? "", /2\.1 GB\. The maximum is 2 GB/);
  assert.equal(judgeFile({ ...clip, name: "notes.txt", type: "text/plain" }, null, rules)?.isSure, false);
  const short = "The video is 1.2 seconds long. It must be 2 to 120 seconds long.";
  assert.equal(judgeFile(clip, lasting(1200), rules)?.what, short);
  assert.match(judgeFile(clip, lasting(131_000), rules)?.what ?? "", /is 2:11 long\./);
});

test("a duration at the limit passes, with the rounding of browsers", () => {
  for (const length of [1950, 2000, 120_000, 120_050]) assert.equal(judgeFile(clip, lasting(length), rules), null);
});

test("characters are counted, not code units", () => {
  const judged = (caption) => judgeForm({ ...EMPTY_FORM, caption }, null, rules, 0).caption;
  assert.equal(judged("😀".repeat(2200)), undefined);
  assert.match(judged("x".repeat(2201)) ?? "", /1 character too long/);
});

test("a thumbnail time lies within the video", () => {
  const judged = (typed) => judgeForm({ ...EMPTY_FORM, thumbnailTime: typed }, lasting(65_000), rules, 0).thumbnailTime;
  assert.equal(judged("1:04"), undefined);
  assert.match(judged("1:05") ?? "", /ends at 1:05/);
  assert.match(judged("soon") ?? "", /such as 0:03/);
});

test("a publication time is 5 minutes to 180 days ahead", () => {
  const now = Date.parse("2026-11-28T12:00:00") / 1000;
  const judged = (publishAt) => judgeForm({ ...EMPTY_FORM, publishAt }, null, rules, now).publishAt;
  assert.equal(judged("2026-11-28T12:05"), undefined);
  assert.match(judged("2026-11-28T12:04") ?? "", /at least 5 minutes/);
  assert.match(judged("2027-06-28T12:00") ?? "", /within 180 days/);
});

test("times are read as people write them", () => {
  assert.deepEqual(["5", "0:05", "1:05", "0:01:05", "90"].map(secondsOf), [5, 5, 65, 65, 90]);
  assert.deepEqual(["", "1:60", "1:2:3:4", "-1", "1.5"].map(secondsOf), [null, null, null, null, null]);
});

test("only fields with a value are sent, under their names in the API", () => {
  assert.deepEqual(fieldsOf(EMPTY_FORM), {});
  assert.deepEqual(fieldsOf({ ...EMPTY_FORM, caption: " Hi ", thumbnailTime: "1:05", category: "3" }),
    { caption: "Hi", super_category_id: "3", thumbnail_time: "00:01:05" });
  assert.deepEqual(fieldsOf({ ...EMPTY_FORM, visibility: "unlisted", is_sensitive: true, is_ai_generated: true }),
    { visibility: "unlisted", is_sensitive: "true", is_ai_generated: "true" });
});
