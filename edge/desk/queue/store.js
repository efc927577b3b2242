// The queue as the page holds it.

import { batch, signal } from "@preact/signals";
import { itemOfAppealed, itemOfFlagged, itemOfQueued, mergeItems } from "./items.js";
import { settle } from "./settle.js";

/** @typedef {import("./items.js").Item} Item */
/** @typedef {import("./settle.js").Row} Row */
/** @typedef {import("./filters.js").Part} Part */

/** Pages of 50 that are read for the order. Those that follow have waited less, and appear when these are decided. */
const MAX_PAGES = 4;
/** A list that was read while a decision was on its way may still have the video. */
const DECIDED_SECONDS = 60;

/**
 * @param {{ get: (path: string, parameters?: Record<string, any>) => Promise<any>, now: () => number,
 *   readSeverities?: () => Promise<Map<string, number>>,
 *   comparison?: { begin: () => void, follow: (waiting: string[]) => Promise<void> } }} of
 *   `readSeverities`: of the policies, by their codes. `comparison`: hears which videos wait for a person.
 */
export function createQueue({
  get, now, readSeverities = async () => new Map(), comparison = { begin: () => {}, follow: async () => {} },
}) {
  const rows = signal(/** @type {Row[]} */ ([]));
  const fresh = signal(/** @type {Item[]} */ ([]));
  const hasLoaded = signal(false);
  const hasMore = signal(false);
  /** What failed at the last reading: some of the lists, or all. */
  const failure = signal(/** @type {unknown} */ (null));
  const isHeld = { current: () => false };
  /** @type {Map<string, number>} */
  const decided = new Map();
  /** @type {Part[]} */
  let parts = [];
  /** @type {Map<Part, { items: Item[], hasMore: boolean }>} What each list had when it was last read. */
  const lists = new Map();
  let round = 0;

  /** @param {Part} part @returns {Promise<{ items: Item[], hasMore: boolean }>} */
  async function readPart(part) {
    if (part === "flagged") {
      const body = await get("/moderation/flagged");
      const items = body.contents.map((/** @type {any} */ content) => itemOfFlagged(content, now()));
      return { items, hasMore: body.has_more };
    }
    if (part === "appealed") return readAppeals();
    /** @type {Item[]} */
    const items = [];
    let cursor = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const body = await get("/moderation/queue", { waits_for: part, cursor });
      items.push(...body.contents.map((/** @type {any} */ content) => itemOfQueued(content, now())));
      cursor = body.next_cursor;
      if (!cursor) break;
    }
    return { items, hasMore: cursor !== null };
  }

  async function readAppeals() {
    const { contents, has_more } = await get("/moderation/appeals");
    const severities = contents.length > 0 ? await readSeverities() : new Map();
    const items = contents.map((/** @type {any} */ appealed) =>
      itemOfAppealed(appealed, severities.get(appealed.policy_code) ?? null, now()));
    return { items, hasMore: has_more };
  }

  /** Shows other lists. @param {Part[]} wanted */
  async function open(wanted) {
    if (wanted.join() === parts.join()) return;
    parts = wanted;
    lists.clear();
    batch(() => {
      [rows.value, fresh.value, hasLoaded.value, failure.value] = [[], [], false, null];
    });
    await refresh();
  }

  /** Reads the lists again. A list that cannot be read stays as it is. */
  async function refresh() {
    const mine = (round += 1);
    if (parts.includes("person")) comparison.begin();
    const results = await Promise.allSettled(parts.map(readPart));
    if (mine !== round) return;
    const waiting = results[parts.indexOf("person")];
    // Wait for the groups, so that a copy never appears as a row of its own first.
    if (waiting?.status === "fulfilled") await comparison.follow(waiting.value.items.map(({ uuid }) => uuid));
    if (mine !== round) return;
    results.forEach((result, at) => {
      if (result.status === "fulfilled") lists.set(/** @type {Part} */ (parts[at]), result.value);
    });
    const failed = results.find((result) => result.status === "rejected");
    batch(() => {
      failure.value = failed ? /** @type {PromiseRejectedResult} */ (failed).reason : null;
      if (lists.size === 0) return;
      hasLoaded.value = true;
      hasMore.value = [...lists.values()].some((list) => list.hasMore);
      show(isHeld.current());
    });
  }

  /** @param {boolean} held */
  function show(held) {
    const since = now() - DECIDED_SECONDS;
    for (const [uuid, at] of decided) if (at < since) decided.delete(uuid);
    const items = [...lists.values()].flatMap((list) => list.items).filter(({ uuid }) => !decided.has(uuid));
    const settled = settle(rows.peek(), mergeItems(items), held);
    batch(() => ([rows.value, fresh.value] = [settled.rows, settled.fresh]));
  }

  /** Takes a decided video out of the queue. @param {string} uuid */
  function noteDecided(uuid) {
    decided.set(uuid, now());
    show(isHeld.current());
  }

  /** Puts the new videos into their places. */
  const showFresh = () => show(false);

  return { rows, fresh, hasLoaded, hasMore, failure, isHeld, open, refresh, showFresh, noteDecided };
}
