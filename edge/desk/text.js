// Texts of strangers inside of the desk's own sentences.

/** Characters that change the direction of the text after them. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Isolates a text's direction, so that an Arabic name does not reorder the sentence around it.
 * @param {string} text
 */
export const isolated = (text) => `\u2068${text.replace(DIRECTIONS, "")}\u2069`;

/**
 * Returns a text in quotation marks, cut to a length that a glance takes in.
 * @param {string} text @param {number} [most]
 */
export function quoted(text, most = 40) {
  const letters = [...text];
  return `“${isolated(letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text)}”`;
}

/** @param {number} count The service counts up to 1,000. */
export const atMost = (count) => (count >= 1000 ? "1,000+" : String(count));
