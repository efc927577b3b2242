import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { fingerprint } from "./fingerprint.js";
import { createHasher } from "./hasher.js";

const never = new AbortController().signal;
const sha256Of = (bytes) => createHash("sha256").update(bytes).digest("hex");

test("the fingerprint of a file is its SHA-256", async () => {
  const mebibyte = 1 << 20;
  for (const length of [0, 1, 64, mebibyte, 8 * mebibyte, 8 * mebibyte + 1, 17 * mebibyte]) {
    const bytes = Buffer.alloc(length, "some bytes of a video ");
    const made = await fingerprint(new Blob([bytes]), { hasher: createHasher(), abort: never });
    assert.equal(made, sha256Of(bytes), `${length} bytes`);
  }
});

test("a large file is read in slices, and the page responds between steps", async () => {
  const lengths = [];
  const file = {
    size: 20 << 20,
    slice: (from, to) => {
      const part = new Uint8Array(Math.min(to, 20 << 20) - from);
      lengths.push(part.length >> 20);
      return { arrayBuffer: async () => part.buffer };
    },
  };
  let [time, pauses] = [0, 0];
  const progress = [];
  await fingerprint(/** @type {any} */ (file), {
    hasher: { update: () => (time += 8), digest: () => new Uint8Array(32) }, abort: never,
    onProgress: (bytes) => progress.push(bytes >> 20), now: () => time,
    pause: async () => {
      pauses += 1;
      time += 100;
    },
  });
  assert.deepEqual(lengths, [8, 8, 4]);
  assert.deepEqual(progress, [8, 16, 20]);
  // Two steps of 8 ms, then a pause.
  assert.equal(pauses, 40);
});

test("reading stops when it is canceled", async () => {
  const abort = new AbortController();
  let updates = 0;
  const hasher = { update: () => (updates += 1), digest: () => new Uint8Array(32) };
  const file = new Blob([new Uint8Array(16 << 20)]);
  const reading = fingerprint(file, { hasher, abort: abort.signal, onProgress: () => abort.abort() });
  await assert.rejects(reading, { name: "AbortError" });
  assert.equal(updates, 32);
});
