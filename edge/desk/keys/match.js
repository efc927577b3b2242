/**
 * Whether a command's label has every word that was typed, in any order.
 * @param {string} label @param {string} typed
 */
export function matches(label, typed) {
  const text = label.toLowerCase();
  return typed.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
