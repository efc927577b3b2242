// What each error code means and what to do about it, from the documentation.

import { readErrors } from "../../../docs/site/errors.mjs";

/** @typedef {{ what: string, next: string | null }} Meaning */

/**
 * Returns the meanings of the codes.
 * @param {string} markdown docs/errors.md
 * @returns {Map<string, Meaning>}
 */
export function readMeanings(markdown) {
  return new Map(readErrors(markdown).map(({ code, advice }) => [code, meaningOf(advice)]));
}

/**
 * Splits the text of the catalogue: its first sentence says what is wrong, and the rest what to do.
 * @param {string} text
 * @returns {Meaning}
 */
export function meaningOf(text) {
  const end = text.search(/\. (?=[A-Z`])/);
  return end === -1 ? { what: text, next: null } : { what: text.slice(0, end + 1), next: text.slice(end + 2) };
}

/** The meaning of a code that is newer than this page. @type {Meaning} */
export const UNKNOWN = { what: "The service rejected the request.", next: "See the error's page for the reason." };
