import assert from "node:assert/strict";
import { test } from "node:test";
import { clockTime, pictureUrl } from "./storyboard.js";

test("a clock time has three parts of two digits", () => {
  assert.equal(clockTime(0), "00:00:00");
  assert.equal(clockTime(119), "00:01:59");
});

test("before publication the pictures are found beside the thumbnails", () => {
  const thumbnails = [{ width: 320, url: "https://site.example/media/a/thumbnail-320.jpg" }];
  assert.equal(pictureUrl({ urls: null, thumbnails }, "storyboard"), "https://site.example/media/a/storyboard.jpg");
  assert.equal(pictureUrl({ urls: null, thumbnails: [] }, "poster"), null);
  assert.equal(pictureUrl({ urls: /** @type {any} */ ({ poster: "p" }), thumbnails }, "poster"), "p");
});
