// Which of the waiting videos resemble each other, as the service says.

import { signal } from "@preact/signals";

/** Comparing the waiting videos is expensive for the service. */
const MIN_INTERVAL_SECONDS = 30;
/** The service compares the videos that have waited longest. */
const MAX_COMPARED = 100;
/** The longest that the list waits for the groups. */
const TIMEOUT_SECONDS = 2;

/**
 * @param {{ get: (path: string) => Promise<any>, now: () => number, pause?: (seconds: number) => Promise<unknown> }} of
 */
export function createGroups({
  get, now, pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
}) {
  const groups = signal(/** @type {import("../types").Group[]} */ ([]));
  /** The videos that were compared last; null until the first list is read. @type {Set<string> | null} */
  let compared = null;
  let askedAt = -Infinity;
  let reading = Promise.resolve();

  function read() {
    askedAt = now();
    reading = get("/moderation/groups").then(
      (body) => void (groups.value = body.groups),
      // Until they can be read, the list shows what was known before, or single rows.
      () => void (compared = new Set()),
    );
  }

  /** Begins the first reading, at the same time as that of the queue. */
  function begin() {
    if (askedAt === -Infinity) read();
  }

  /**
   * Reads the groups again if other videos are waiting. Resolves when the groups are known, or cannot be waited for.
   * @param {string[]} waiting The longest-waiting video first.
   */
  async function follow(waiting) {
    const longest = waiting.slice(0, MAX_COMPARED);
    compared ??= new Set(longest);
    const known = compared;
    if (longest.some((uuid) => !known.has(uuid)) && now() - askedAt >= MIN_INTERVAL_SECONDS) {
      compared = new Set(longest);
      read();
    }
    await Promise.race([reading, pause(TIMEOUT_SECONDS)]);
  }

  return { groups, begin, follow };
}
