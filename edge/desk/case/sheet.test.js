import assert from "node:assert/strict";
import { test } from "node:test";
import { cellStyle, stageOf, stageStyle } from "./sheet.js";

const cell = (width, height) => ({ start: 0, end: 1, x: 0, y: 0, width, height });
const UPRIGHT = { turnedDegrees: 0, isMirrored: false };

test("a cell is cut from the sheet at any size", () => {
  const sheet = { url: "https://a.example/\"x\".jpg", width: 480, height: 180 };
  const style = cellStyle({ ...cell(160, 90), x: 160, y: 90 }, sheet);
  assert.deepEqual(style, {
    aspectRatio: "160 / 90", backgroundImage: 'url("https://a.example/\\"x\\".jpg")', backgroundSize: "300% 200%",
    backgroundPosition: "50% 100%",
  });
  assert.equal(cellStyle(cell(480, 180), sheet).backgroundPosition, "0% 0%");
});

test("a stage has the shape of its picture as it is seen, within limits", () => {
  assert.equal(stageOf(cell(160, 120)), 4 / 3);
  assert.equal(stageOf(cell(160, 120), 90), 3 / 4);
  assert.equal(stageOf(cell(90, 160)), 3 / 4);
  assert.equal(stageOf(cell(160, 40)), 16 / 9);
  assert.equal(stageOf(null), 16 / 9);
});

test("a picture is mirrored before it is turned", () => {
  const { transform } = stageStyle(cell(160, 90), 16 / 9, { turnedDegrees: 90, isMirrored: true });
  // CSS applies the last one first.
  assert.equal(transform, "translate(-50%, -50%) rotate(90deg) scaleX(-1)");
  assert.equal(stageStyle(cell(160, 90), 16 / 9, UPRIGHT).transform, "translate(-50%, -50%)");
});

test("a picture fits on its stage in every orientation", () => {
  for (const [width, height] of [[160, 90], [90, 160], [160, 160], [160, 20]]) {
    for (const turnedDegrees of [0, 90, 180, 270]) {
      for (const stage of [3 / 4, 1, 16 / 9]) {
        const share = parseFloat(stageStyle(cell(width, height), stage, { turnedDegrees, isMirrored: false }).width) / 100;
        const own = [share, (share * height) / width];
        const [wide, high] = turnedDegrees % 180 ? own.toReversed() : own;
        const text = `${width}x${height}, ${turnedDegrees}, ${stage}`;
        assert.ok(wide <= 1 + 1e-9 && high <= 1 / stage + 1e-9, text);
        assert.ok(Math.abs(wide - 1) < 1e-9 || Math.abs(high - 1 / stage) < 1e-9, text);
      }
    }
  }
});
