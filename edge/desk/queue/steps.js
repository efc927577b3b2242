// The way from row to row, and from case to case. A group is one step.

/** @typedef {import("./fold.js").ShownRow} ShownRow */

/**
 * Returns the row after or before that of a video; with `isOpen`, only rows that somebody should still look at.
 * @param {ShownRow[]} rows @param {string | null} uuid @param {1 | -1} step
 * @param {(row: ShownRow) => boolean} [isOpen]
 */
export function neighbour(rows, uuid, step, isOpen = () => true) {
  const at = rows.findIndex(({ uuids }) => uuid !== null && uuids.includes(uuid));
  if (at < 0) return (step > 0 ? rows : rows.toReversed()).find(isOpen) ?? null;
  const ahead = step > 0 ? rows.slice(at + 1) : rows.slice(0, at).reverse();
  return ahead.find(isOpen) ?? null;
}

/**
 * Returns the next case after one: the next open row, or the first one of the list. What is left of a group after a
 * decision about a part of it is another case.
 * @param {ShownRow[]} rows @param {string | null} uuid @param {(row: ShownRow) => boolean} isOpen
 */
export function nextCase(rows, uuid, isOpen) {
  const isOther = (/** @type {ShownRow} */ row) => row.members.every((member) => member.uuid !== uuid) && isOpen(row);
  return neighbour(rows, uuid, 1, isOther) ?? rows.find(isOther) ?? null;
}
