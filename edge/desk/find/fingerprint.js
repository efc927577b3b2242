// The SHA-256 of a file of any size. The browser's own function takes only a file that is whole in memory.

/** @typedef {{ update: (bytes: Uint8Array) => unknown, digest: () => Uint8Array }} Hasher */

/** What is read at once: 8 MiB. */
const SLICE_BYTES = 8 << 20;
/** What is hashed between two looks at the clock: 256 KiB, some milliseconds on a slow device. */
const STEP_BYTES = 256 << 10;
/** The page does not respond while bytes are hashed. A longer wait would be felt. */
const BUSY_MS = 12;

/**
 * Returns the SHA-256 of a file in hexadecimal digits.
 * @param {Blob} file
 * @param {{ hasher: Hasher, abort: AbortSignal, onProgress?: (bytes: number) => void, now?: () => number,
 *   pause?: () => Promise<void> }} how `pause` lets the page respond.
 */
export async function fingerprint(file, { hasher, abort, onProgress, now = () => performance.now(), pause = yieldToPage }) {
  for (let at = 0; at < file.size; at += SLICE_BYTES) {
    const slice = new Uint8Array(await file.slice(at, at + SLICE_BYTES).arrayBuffer());
    let since = now();
    for (let step = 0; step < slice.length; step += STEP_BYTES) {
      abort.throwIfAborted();
      hasher.update(slice.subarray(step, step + STEP_BYTES));
      if (now() - since < BUSY_MS) continue;
      await pause();
      since = now();
    }
    onProgress?.(at + slice.length);
  }
  abort.throwIfAborted();
  return [...hasher.digest()].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A message is not delayed in a page in the background, unlike a timer. @returns {Promise<void>} */
function yieldToPage() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
