// A list that is read page by page from its newest row towards its oldest, and that follows what is new.

import { batch, computed, signal } from "@preact/signals";

/** The pages that are read again to look for news. Rows further down change rarely. */
const REFRESHED_PAGES = 3;

/**
 * @template Row
 * @typedef {{ rows: Row[], next: string | number | null }} Page `next`: where the next page begins; null at the end.
 */

/**
 * @template Row
 * @param {{ readPage: (next: string | number | null) => Promise<Page<Row>>,
 *   orderOf: (row: Row) => string | number }} of
 *   `readPage` throws if the request failed. `orderOf` is unique to a row, and larger for newer rows.
 */
export function createFeed({ readPage, orderOf }) {
  const rows = signal(/** @type {Row[]} */ ([]));
  const next = signal(/** @type {string | number | null} */ (null));
  const hasLoaded = signal(false);
  const isLoading = signal(false);
  const failure = signal(/** @type {unknown} */ (null));
  const wakes = signal(0);
  /** Each start of the list has a number, so that a late response to an earlier one is ignored. */
  let round = 0;

  /** Loads the next page, or again the one that failed. */
  async function load() {
    if (isLoading.value || (hasLoaded.value && next.value === null)) return;
    const mine = round;
    [isLoading.value, failure.value] = [true, null];
    try {
      const page = await readPage(next.value);
      if (mine !== round) return;
      const known = new Set(rows.value.map(orderOf));
      batch(() => {
        rows.value = [...rows.value, ...page.rows.filter((row) => !known.has(orderOf(row)))];
        [next.value, hasLoaded.value] = [page.next, true];
      });
    } catch (error) {
      if (mine === round) failure.value = error;
    } finally {
      if (mine === round) isLoading.value = false;
    }
  }

  /** Empties the list and reads it from its start. */
  async function reload() {
    round += 1;
    batch(() => {
      [rows.value, next.value, hasLoaded.value, isLoading.value] = [[], null, false, false];
    });
    await load();
  }

  /** Reads the newest rows again, and returns whether anything has changed. */
  async function refresh() {
    if (!hasLoaded.value) return false;
    const mine = round;
    /** @type {Row[]} */
    const head = [];
    let after = null;
    for (let pages = 0; pages < REFRESHED_PAGES; pages += 1) {
      const page = /** @type {Page<Row>} */ (await readPage(after));
      if (mine !== round) return false;
      head.push(...page.rows);
      after = page.next;
      const [last, oldest] = [head.at(-1), rows.value.at(-1)];
      if (after === null || !last || !oldest || orderOf(last) <= orderOf(oldest)) break;
    }
    const merged = mergeNewest(rows.value, head, { orderOf, isAll: after === null });
    // Behind the newest rows, only whole rows can be gone.
    const before = rows.value.slice(0, head.length);
    const hasChanged = merged.rows.length !== rows.value.length || JSON.stringify(head) !== JSON.stringify(before);
    batch(() => {
      if (hasChanged) rows.value = merged.rows;
      if (merged.isOnlyHead) next.value = after;
    });
    return hasChanged;
  }

  /** Shows the new state of a row. @param {Row} row */
  function put(row) {
    rows.value = rows.value.map((other) => (orderOf(other) === orderOf(row) ? row : other));
  }

  /** @param {string | number} order */
  function remove(order) {
    rows.value = rows.value.filter((row) => orderOf(row) !== order);
  }

  /** Looks for news soon: something is about to change. */
  function wake() {
    wakes.value += 1;
  }

  const isAtEnd = computed(() => hasLoaded.value && next.value === null);
  return { rows, hasLoaded, isLoading, isAtEnd, failure, wakes, load, reload, refresh, put, remove, wake };
}

/**
 * Puts newly read rows before the older ones. Rows that the new ones should contain, but do not, are gone.
 * @template Row
 * @param {Row[]} rows
 * @param {Row[]} head The newest rows.
 * @param {{ orderOf: (row: Row) => string | number, isAll: boolean }} of `isAll`: there are no further rows.
 */
export function mergeNewest(rows, head, { orderOf, isAll }) {
  const last = head.at(-1);
  if (isAll || !last) return { rows: head, isOnlyHead: true };
  const older = rows.filter((row) => orderOf(row) < orderOf(last));
  // If everything that was read is new, there may be more between it and the rows.
  const known = rows[0];
  const hasGap = known !== undefined && orderOf(last) > orderOf(known);
  if (hasGap || older.length === 0) return { rows: head, isOnlyHead: true };
  return { rows: [...head, ...older], isOnlyHead: false };
}
