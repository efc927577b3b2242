// How long to wait between two requests for news.

export const MIN_PAUSE_SECONDS = 2;
export const MAX_PAUSE_SECONDS = 30;

/**
 * Returns the seconds until the next request: short after a change, and longer each time that nothing has changed.
 * @param {number} previous The last pause; 0 before the first one.
 * @param {{ hasChanged: boolean, retryAfter?: number }} outcome
 */
export function nextPause(previous, { hasChanged, retryAfter = 0 }) {
  const longer = hasChanged || previous === 0 ? MIN_PAUSE_SECONDS : previous * 1.5;
  return Math.max(Math.min(longer, MAX_PAUSE_SECONDS), retryAfter);
}

/**
 * Returns the seconds until a video's status is asked for again, or null if it does not change by itself. A video in
 * processing is asked for as often as the service advises, but at least every 30 seconds while somebody looks at it.
 * @param {number} previous
 * @param {{ hasChanged: boolean, advice: number | null }} outcome
 */
export function statusPause(previous, { hasChanged, advice }) {
  if (advice === null) return null;
  return Math.min(Math.max(nextPause(previous, { hasChanged }), advice), MAX_PAUSE_SECONDS);
}
