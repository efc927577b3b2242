// The addresses of a case's files work for 15 minutes, and every response has new ones.

/** @typedef {import("../types").Case} Case */

/** How long addresses are kept: a player whose address changes begins again. */
const KEPT_SECONDS = 600;

/**
 * Returns the newly read case, with the addresses of before as long as they work and lead to the same files.
 * @param {{ of: Case, readAt: number } | null} before
 * @param {Case} of
 * @param {number} readAt
 * @returns {{ of: Case, readAt: number }} `readAt`: when the addresses were read.
 */
export function keepAddresses(before, of, readAt) {
  if (!before || readAt - before.readAt >= KEPT_SECONDS || !hasSameFiles(before.of, of)) return { of, readAt };
  const { poster_url, storyboard_url, storyboard_vtt_url, subtitles, video_url } = before.of;
  return { of: { ...of, poster_url, storyboard_url, storyboard_vtt_url, subtitles, video_url }, readAt: before.readAt };
}

/** @param {Case} a @param {Case} b Whether both have, and lack, the same files. */
function hasSameFiles(a, b) {
  const files = (/** @type {Case} */ { poster_url, storyboard_url, storyboard_vtt_url, subtitles, video_url }) => [
    ...[poster_url, storyboard_url, storyboard_vtt_url, video_url].map((url) => url !== null),
    ...subtitles.map(({ language }) => language),
  ].join();
  return files(a) === files(b);
}
