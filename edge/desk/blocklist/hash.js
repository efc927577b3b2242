// PDQ hashes: 256 bits as 64 hexadecimal digits.

const DIGITS = 64;

/** @param {string} text */
export const isHash = (text) => /^[0-9a-f]{64}$/.test(text);

/** Returns a hash, or the beginning of one, as the service writes it. @param {string} text */
export const normalized = (text) => text.trim().toLowerCase();

/** @param {string} text Whether hashes can begin with it. */
export const isBeginning = (text) => /^[0-9a-f]{1,64}$/.test(text);

/** A hash that a glance takes in. @param {string} hash */
export const shortened = (hash) => (hash.length > 20 ? `${hash.slice(0, 12)}…${hash.slice(-4)}` : hash);

/**
 * Returns the largest hash before all that begin with a text: the list is in the order of the hashes, and its cursor is
 * the hash after which a page starts. Null if a page from the start is meant.
 * @param {string} beginning
 */
export function hashBefore(beginning) {
  if (/^0*$/.test(beginning)) return null;
  const before = (BigInt(`0x${beginning}`) - 1n).toString(16).padStart(beginning.length, "0");
  return before.padEnd(DIGITS, "f");
}
