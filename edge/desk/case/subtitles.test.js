import assert from "node:assert/strict";
import { test } from "node:test";
import { languageName, readCues } from "./subtitles.js";

const TRACK = `WEBVTT

NOTE a note

1
00:01.500 --> 00:03.000 line:0
Hello <i>there</i>,
you

01:00:02.000 --> 01:00:03.000
1 &lt; 2 &amp;lt; 3

00:05.000 --> 00:06.000
`;

test("each cue has its time and its plain text", () => {
  const cues = [{ start: 1.5, text: "Hello there, you" }, { start: 3602, text: "1 < 2 &lt; 3" }];
  assert.deepEqual(readCues(TRACK), cues);
  assert.deepEqual(readCues(TRACK.replaceAll("\n", "\r\n")), cues);
});

test("what is no track has no cues", () => assert.deepEqual(readCues("<html>"), []));

test("a language without a name is shown by its tag", () => {
  assert.equal(languageName("pt-BR"), "Brazilian Portuguese");
  assert.equal(languageName("???"), "???");
});
