// An export arrives as JSON lines, in pieces that end anywhere.

/** Returns a function that takes the next piece and returns the lines that it completes. */
export function lineCutter() {
  let rest = "";
  return (/** @type {string} */ piece) => {
    const lines = (rest + piece).split("\n");
    rest = /** @type {string} */ (lines.pop());
    return lines;
  };
}

/** The columns of a blocklist as CSV, in the order in which `clipgate-operate blocklist export` writes them. */
export const HASH_COLUMNS = ["hash", "reason", "by", "added_at_unix", "content_uuid", "at_ms"];

/** A row of CSV, quoted like the command's. @param {unknown[]} cells */
export function csvRow(cells) {
  const quoted = cells.map((cell) => {
    const text = String(cell ?? "");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return quoted.join(",");
}
