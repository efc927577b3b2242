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
