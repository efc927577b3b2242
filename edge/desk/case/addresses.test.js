import assert from "node:assert/strict";
import { test } from "node:test";
import { keepAddresses } from "./addresses.js";

const of = (name, more = {}) => ({
  poster_url: `/p/${name}`, storyboard_url: null, storyboard_vtt_url: null, subtitles: [], video_url: `/v/${name}`,
  claim: name, ...more,
});

test("a case that is read again keeps its addresses for ten minutes", () => {
  const first = keepAddresses(null, of("a"), 1000);
  const second = keepAddresses(first, of("b"), 1500);
  assert.deepEqual([second.of.video_url, second.of.claim, second.readAt], ["/v/a", "b", 1000]);
  assert.equal(keepAddresses(second, of("c"), 1600).of.video_url, "/v/c");
});

test("when its files change, so do its addresses", () => {
  const first = keepAddresses(null, of("a"), 1000);
  assert.equal(keepAddresses(first, of("b", { poster_url: null }), 1001).of.video_url, "/v/b");
  assert.equal(keepAddresses(first, of("b", { subtitles: [{ language: "en", url: "/s" }] }), 1001).of.video_url, "/v/b");
});
