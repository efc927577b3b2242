// The event log of the channel, read from its newest event. The API reads it from the oldest one: the events are
// numbered without gaps, so that a search finds the last one.

/** @typedef {import("../../pages/openapi").components["schemas"]["Event"]} Event */
/** @typedef {{ events: Event[], next_after: number, has_more: boolean }} Part */

const PAGE_LENGTH = 100;
/** The most requests for the events of one page of deliveries, which lie far apart only if most are filtered out. */
const MAX_LOOKUPS = 5;

/** @param {(after: number, limit: number) => Promise<Part>} ask */
export function createLog(ask) {
  /** Where the newest event was when the log was last read. */
  let last = 0;
  /** @type {Map<number, Event>} */
  const known = new Map();

  /** @param {number} after @param {number} limit */
  async function read(after, limit) {
    const part = await ask(after, limit);
    for (const event of part.events) known.set(event.sequence, event);
    return part;
  }

  /** Returns the number of the newest event; 0 if there are none. */
  async function findLast() {
    const first = await read(Math.max(0, last - PAGE_LENGTH / 2), PAGE_LENGTH);
    last = first.next_after;
    if (!first.has_more) return last;
    // The log goes on after `last`, and not after `end`.
    let step = PAGE_LENGTH;
    let end = null;
    while (end === null) {
      const [event] = (await read(last + step, 1)).events;
      if (event) last = event.sequence;
      else end = last + step;
      step *= 4;
    }
    while (end - last > PAGE_LENGTH) {
      const middle = Math.floor((last + end) / 2);
      const [event] = (await read(middle, 1)).events;
      if (event) last = event.sequence;
      else end = middle;
    }
    last = (await read(last, PAGE_LENGTH)).next_after;
    return last;
  }

  /**
   * Reads a page, the newest event first.
   * @param {string | number | null} next The number before which the page ends; null for the newest one.
   */
  async function readPage(next) {
    const end = next === null ? (await findLast()) + 1 : Number(next);
    const after = Math.max(0, end - 1 - PAGE_LENGTH);
    const missing = after + 1 < end && !isKnown(after + 1, end - 1);
    if (missing) await read(after, PAGE_LENGTH);
    const rows = [];
    for (let sequence = end - 1; sequence > after; sequence -= 1) {
      const event = known.get(sequence);
      if (event) rows.push(event);
    }
    // Events are deleted after 30 days, the oldest first.
    const isEnd = after === 0 || rows.length < end - 1 - after;
    return { rows, next: isEnd ? null : after + 1 };
  }

  /** @param {number} first @param {number} end */
  function isKnown(first, end) {
    for (let sequence = first; sequence <= end; sequence += 1) if (!known.has(sequence)) return false;
    return true;
  }

  /**
   * Returns the events with these numbers, as far as they are in the log.
   * @param {number[]} sequences
   * @returns {Promise<Map<number, Event>>}
   */
  async function lookUp(sequences) {
    let missing = sequences.filter((sequence) => !known.has(sequence)).sort((a, b) => a - b);
    for (let requests = 0; missing[0] !== undefined && requests < MAX_LOOKUPS; requests += 1) {
      const { next_after } = await read(missing[0] - 1, PAGE_LENGTH);
      const reached = Math.max(next_after, missing[0]);
      missing = missing.filter((sequence) => sequence > reached);
    }
    return known;
  }

  /**
   * Returns how many events happened at this time or later.
   * @param {number} unix
   */
  async function countSince(unix) {
    const end = await findLast();
    let [low, high] = [0, end];
    // All events up to `low` happened before, and all after `high` at this time or later.
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const event = known.get(middle + 1) ?? (await read(middle, 1)).events[0];
      if (!event || event.happened_at_unix >= unix) high = middle;
      else low = event.sequence;
    }
    // Events that have left the log are not counted.
    const first = (await read(low, 1)).events[0];
    return first ? end - first.sequence + 1 : 0;
  }

  return { readPage, lookUp, countSince };
}

/** @typedef {ReturnType<typeof createLog>} Log */
