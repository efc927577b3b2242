import assert from "node:assert/strict";
import { test } from "node:test";
import { hashBefore, isBeginning, isHash, normalized, shortened } from "./hash.js";

const HASH = "f8f8f0cee0f4a84f06370a22038f63f0b36e2ed596621e1d33e6b39c4e9c9b22";

test("a search starts right before the first hash with this beginning", () => {
  assert.equal(hashBefore("a0"), `9f${"f".repeat(62)}`);
  assert.equal(hashBefore("01"), `00${"f".repeat(62)}`);
  assert.equal(hashBefore(HASH), `${HASH.slice(0, -1)}1`);
  assert.equal(hashBefore("00"), null);
  assert.equal(hashBefore(""), null);
  for (const beginning of ["1", "f8", "0f0", HASH]) {
    const before = /** @type {string} */ (hashBefore(beginning));
    assert.ok(isHash(before) && before < beginning.padEnd(64, "0"), beginning);
  }
});

test("hashes are recognised, and shortened for the list", () => {
  assert.ok(isHash(normalized(` ${HASH.toUpperCase()} `)));
  assert.ok(!isHash(HASH.slice(1)) && !isHash(`${HASH}0`));
  assert.ok(isBeginning("f8") && !isBeginning("") && !isBeginning("g") && !isBeginning(`${HASH}0`));
  assert.equal(shortened(HASH), "f8f8f0cee0f4…9b22");
});
