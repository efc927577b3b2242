import assert from "node:assert/strict";
import { test } from "node:test";
import { cellAt, readStoryboard, sample } from "./storyboard.js";

const TRACK = `WEBVTT

00:00:00.000 --> 00:00:01.000
storyboard.jpg#xywh=0,0,160,90

00:00:01.000 --> 00:01:02.500
storyboard.jpg#xywh=160,90,160,90
`;

test("a track names each frame's time and place", () => {
  for (const track of [TRACK, TRACK.replaceAll("\n", "\r\n")]) {
    const cells = readStoryboard(track);
    assert.equal(cells.length, 2);
    assert.deepEqual(cells[1], { start: 1, end: 62.5, x: 160, y: 90, width: 160, height: 90 });
  }
});

test("what is no track has no frames", () => assert.deepEqual(readStoryboard("<html>"), []));

test("every time has a frame", () => {
  const cells = readStoryboard(TRACK);
  assert.equal(cellAt(cells, 0.5), cells[0]);
  assert.equal(cellAt(cells, 1), cells[1]);
  assert.equal(cellAt(cells, 500), cells[1]);
  assert.equal(cellAt([], 0), null);
});

test("a strip has frames at even distances", () => {
  const cells = Array.from({ length: 60 }, (_, at) => ({ start: at, end: at + 1, x: 0, y: 0, width: 1, height: 1 }));
  assert.deepEqual(sample(cells, 6).map(({ start }) => start), [5, 15, 25, 35, 45, 55]);
  assert.equal(sample(cells, 80).length, 60);
});
