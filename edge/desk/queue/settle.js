// Merges news into the rows without moving a row that somebody is about to use.

import { orderItems } from "./order.js";

/** @typedef {import("./items.js").Item} Item */
/** @typedef {Item & { isGone: boolean }} Row `isGone`: it was decided elsewhere, and leaves with the next ordering. */

/** The addresses of pictures work for 15 minutes. New ones are used before, and the old picture until then. */
const POSTER_SECONDS = 600;

/**
 * Returns the rows to show, and the videos that wait for a place among them.
 * @param {Row[]} rows
 * @param {Item[]} items Everything that is in the queue now.
 * @param {boolean} isHeld Whether somebody uses the list: then every row stays where it is.
 * @returns {{ rows: Row[], fresh: Item[] }}
 */
export function settle(rows, items, isHeld) {
  const before = new Map(rows.map((row) => [row.uuid, row]));
  const now = new Map(items.map((item) => [item.uuid, keepPoster(before.get(item.uuid), item)]));
  if (!isHeld) return { rows: orderItems([...now.values()]).map((item) => ({ ...item, isGone: false })), fresh: [] };
  return {
    rows: rows.map((row) => ({ ...(now.get(row.uuid) ?? row), isGone: !now.has(row.uuid) })),
    fresh: orderItems([...now.values()].filter(({ uuid }) => !before.has(uuid))),
  };
}

/**
 * Each response has new addresses for the same pictures. A browser would load all of them again.
 * @param {Item | undefined} before @param {Item} item
 */
function keepPoster(before, item) {
  const isUsable = before?.poster && item.posterReadAt - before.posterReadAt < POSTER_SECONDS;
  return isUsable ? { ...item, poster: before.poster, posterReadAt: before.posterReadAt } : item;
}

/**
 * Returns the row after or before another; with `isOpen`, only rows that somebody should still look at.
 * @param {Row[]} rows @param {string | null} uuid @param {1 | -1} step @param {(row: Row) => boolean} [isOpen]
 */
export function neighbour(rows, uuid, step, isOpen = () => true) {
  const at = rows.findIndex((row) => row.uuid === uuid);
  if (at < 0) return (step > 0 ? rows : rows.toReversed()).find(isOpen) ?? null;
  const ahead = step > 0 ? rows.slice(at + 1) : rows.slice(0, at).reverse();
  return ahead.find(isOpen) ?? null;
}

/**
 * Returns the next case after one: the next open row, or the first one of the list.
 * @param {Row[]} rows @param {string | null} uuid @param {(row: Row) => boolean} isOpen
 */
export function nextCase(rows, uuid, isOpen) {
  const isOther = (/** @type {Row} */ row) => row.uuid !== uuid && isOpen(row);
  return neighbour(rows, uuid, 1, isOther) ?? rows.find(isOther) ?? null;
}
