import assert from "node:assert/strict";
import { test } from "node:test";
import { captionsMistake, droppedText, languageName, tracksOf } from "./languages.js";

test("a language has a name, and a tag that is none stays as it is", () => {
  assert.equal(languageName("de"), "German");
  assert.equal(languageName("not a tag"), "not a tag");
});

test("own captions come first, and hide the file's subtitles in the same language", () => {
  const subtitles = [{ language: "en", label: "English" }, { language: null, label: "Track 2" }];
  const tracks = tracksOf(/** @type {any} */ ({ captions: ["en"], subtitles }));
  assert.deepEqual(tracks.map(({ label, isOwn }) => [label, isOwn]), [["English", true], ["Track 2", false]]);
});

test("mistakes are found before a file is sent", () => {
  const file = (/** @type {string} */ name, size = 10) => /** @type {any} */ ({ name, size });
  assert.match(captionsMistake("", file("a.vtt")) ?? "", /language/);
  assert.match(captionsMistake("en", file("a.txt")) ?? "", /WebVTT/);
  assert.match(captionsMistake("en", file("a.srt", 600_000)) ?? "", /512 KiB/);
  assert.equal(captionsMistake("en", file("A.SRT")), null);
});

test("subtitles that cannot be shown say why, also for a new reason", () => {
  const text = droppedText([{ language: "fr", reason: "pictures" }, { language: null, reason: "no_luck" }]);
  assert.match(text, /French \(image-based\), unknown language \(no luck\)/);
});
