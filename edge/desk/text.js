// Texts of strangers inside of the desk's own sentences.

/**
 * Isolates a text's direction, so that an Arabic name does not reorder the sentence around it.
 * @param {string} text
 */
export const isolated = (text) => `\u2068${text}\u2069`;

/** @param {string} caption The name of a video in a sentence, cut to a length that a glance takes in. */
export function quoted(caption) {
  const letters = [...caption];
  return `“${isolated(letters.length > 40 ? `${letters.slice(0, 39).join("")}…` : caption)}”`;
}

/** @param {number} count The service counts up to 1,000. */
export const atMost = (count) => (count >= 100 ? "100+" : String(count));

/** @param {number} count What an entry of the blocklist has caught; the service counts up to 100. */
export const caughtInWords = (count) => `Caught ${atMost(count)} ${count === 1 ? "video" : "videos"}`;
