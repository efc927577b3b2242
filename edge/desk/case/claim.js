// A claim tells colleagues who is looking, so that no two people decide about the same video. It ends by itself.

import { signal } from "@preact/signals";

/** @typedef {import("../types").Claim} Claim */

/** A claim lasts five minutes. */
const RENEW_SECONDS = 120;

/**
 * @param {{ uuid: string, me: string, now: () => number,
 *   post: (path: string, body: object, how?: { isLeaving?: boolean }) => Promise<any>,
 *   isClaimed: (error: unknown) => boolean, onLost?: () => void,
 *   later?: (run: () => void, seconds: number) => number, cancel?: (timer: number) => void }} of
 *   `isClaimed`: whether a request failed because somebody else is looking. `onLost` finds out who.
 */
export function createClaim({
  uuid, me, now, post, isClaimed, onLost = () => {},
  later = (run, seconds) => /** @type {any} */ (setTimeout(run, seconds * 1000)), cancel = clearTimeout,
}) {
  /** Who is looking: `mine` is true, or somebody else's claim is known, or neither. */
  const mine = signal(false);
  const other = signal(/** @type {Claim | null} */ (null));
  let timer = 0;
  let isOver = false;

  /** @param {{ takeOver?: boolean }} [how] Returns whether the video is claimed now. */
  async function claim({ takeOver = false } = {}) {
    cancel(timer);
    try {
      await post("/moderation/claim", { content_uuid: uuid, ...(takeOver && { take_over: true }) });
    } catch (error) {
      if (isClaimed(error)) return lose();
      // Without a connection, nobody can decide either. The next renewal tries again.
      if (!isOver) timer = later(claim, RENEW_SECONDS);
      return mine.value;
    }
    if (isOver) return release();
    [mine.value, other.value] = [true, null];
    timer = later(claim, RENEW_SECONDS);
    return true;
  }

  function lose() {
    mine.value = false;
    if (!isOver) onLost();
    return false;
  }

  /** Takes note of who is looking, as a list or the case says. @param {Claim | null} seen */
  function note(seen) {
    const isOthers = seen !== null && seen.by !== me && seen.until_unix > now();
    other.value = isOthers ? seen : null;
    if (isOthers) {
      cancel(timer);
      mine.value = false;
    }
  }

  /**
   * Ends the claim, unless a decision about the video is on its way: the decision ends it.
   * @param {{ isKept?: boolean, isLeaving?: boolean }} [how]
   */
  function leave({ isKept = false, isLeaving = false } = {}) {
    isOver = !isLeaving;
    cancel(timer);
    if (mine.value && !isKept) release(isLeaving);
  }

  function release(isLeaving = false) {
    mine.value = false;
    // A claim that could not be released ends within five minutes.
    post("/moderation/release_claim", { content_uuid: uuid }, { isLeaving }).catch(() => {});
    return false;
  }

  return { mine, other, claim, note, leave };
}
