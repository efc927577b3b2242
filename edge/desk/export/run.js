// Reads a whole export. If it breaks off, the next run goes on after the last whole line.
import { failureOfNetwork } from "../../pages/kit/failures.js";
import { RequestFailed } from "../api.js";
import { lineCutter } from "./lines.js";

/**
 * @typedef {{
 *   read: (after: string | number | null) => AsyncIterable<string>, placeOf: (row: any) => string | number,
 *   write: (row: any, line: string) => string,
 * }} Source
 * `read` yields the JSON lines after a place. `placeOf` returns the place of a row. `write` returns its line of the
 * file.
 */

/** @param {Source & { head?: string }} source `head`: the first line of a file that has rows. */
export function createExport({ read, placeOf, write, head }) {
  /** @type {string[]} */
  const parts = [];
  let count = 0;
  /** @type {string | number | null} */
  let after = null;

  /** Reads to the end. @param {(count: number) => void} onProgress */
  async function run(onProgress) {
    const cut = lineCutter();
    let isWhole = true;
    for await (const piece of read(after)) {
      isWhole = piece.endsWith("\n");
      const lines = cut(piece);
      if (lines.length === 0) continue;
      let text = count === 0 && head ? `${head}\n` : "";
      for (const line of lines) {
        const row = JSON.parse(line);
        text += `${write(row, line)}\n`;
        after = placeOf(row);
      }
      parts.push(text);
      count += lines.length;
      onProgress(count);
    }
    if (!isWhole) throw new RequestFailed(failureOfNetwork(true));
    return parts;
  }

  return { run };
}
