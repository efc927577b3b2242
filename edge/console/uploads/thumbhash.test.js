import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeThumbhash } from "./thumbhash.js";

/** @param {string} hash */
function decoded(hash) {
  const picture = decodeThumbhash(hash);
  assert.ok(picture);
  return picture;
}

test("a black picture is black", () => {
  const { pixels } = decoded("AAgCBIAAAAAAAAAAAAAAAAAAAA==");
  assert.ok(pixels.every((value, at) => (at % 4 === 3 ? value === 255 : value < 12)));
});

test("a picture has the shape of its video, and at most 16 pixels a side", () => {
  const wide = decoded("WckJRIzPpYi4h3iMmGhgk6X/dQ==");
  assert.ok(wide.width === 16 && wide.height < 16);
  const square = decoded("BAgCBwBJfC9NqKhSx5ujxWeCheMD+6sL");
  assert.equal(square.width, square.height);
  assert.equal(square.pixels.length, 16 * 16 * 4);
});

test("the sky of the reference's sunrise is lighter at its top than at its bottom", () => {
  const { width, height, pixels } = decoded("1QcSHQRnh493V4dIh4eXh1h4kJUI");
  assert.ok(height > width);
  const row = (/** @type {number} */ y) => pixels.subarray(y * width * 4, (y + 1) * width * 4);
  const light = (/** @type {number} */ y) => row(y).reduce((sum, value) => sum + value);
  assert.ok(light(1) > light(height - 1));
});

test("what is no ThumbHash has no picture", () => {
  for (const text of ["", "AA==", "not base64!"]) assert.equal(decodeThumbhash(text), null, text);
});
