// The rows of the list: how pages are appended, and how news is merged without moving what somebody reads.

/** @typedef {import("./video-rules.js").Video} Video */

/**
 * Appends a page of older videos. A video that is listed already is not repeated.
 * @param {Video[]} rows
 * @param {Video[]} page
 */
export function appendPage(rows, page) {
  const known = new Set(rows.map(idOf));
  return [...rows, ...page.filter((video) => !known.has(idOf(video)))];
}

/**
 * What the newest page says about the rows.
 * @typedef {object} News
 * @property {Video[]} rows The rows with their new states, in their places.
 * @property {Video[]} fresh The videos that are not among the rows.
 * @property {string[]} missing The rows that the page should have, but has not: they were deleted, or match no more.
 * @property {boolean} hasGap Whether there may be further new videos between the page and the rows.
 */

/**
 * @param {Video[]} rows
 * @param {{ uploads: Video[], next_cursor: string | null }} page
 * @returns {News}
 */
export function mergeNewest(rows, { uploads, next_cursor }) {
  const known = new Set(rows.map(idOf));
  const newest = new Map(uploads.map((video) => [idOf(video), video]));
  const fresh = uploads.filter((video) => !known.has(idOf(video)));
  const oldest = next_cursor === null ? 0 : Math.min(...uploads.map(({ content_id }) => content_id));
  const missing = rows.filter((video) => video.content_id >= oldest && !newest.has(idOf(video))).map(idOf);
  return {
    rows: rows.map((video) => newest.get(idOf(video)) ?? video),
    fresh,
    missing,
    hasGap: next_cursor !== null && fresh.length === uploads.length && rows.length > 0,
  };
}

/**
 * Adds new videos to the rows, newest first.
 * @param {Video[]} rows
 * @param {Video[]} fresh
 */
export function insertFresh(rows, fresh) {
  return appendPage(rows, fresh).sort((a, b) => b.content_id - a.content_id);
}

/**
 * Replaces a row. A video that is not listed is not added.
 * @param {Video[]} rows
 * @param {Video} video
 */
export function replaceRow(rows, video) {
  return rows.map((row) => (idOf(row) === idOf(video) ? video : row));
}

/**
 * @param {Video[]} rows
 * @param {string} uuid
 */
export function removeRow(rows, uuid) {
  return rows.filter((row) => idOf(row) !== uuid);
}

/** @param {Video} video */
function idOf(video) {
  return video.content_uuid;
}

/**
 * Returns the rows to draw: those in view, and a few before and after them.
 * @param {{ top: number, height: number, rowHeight: number, count: number, spare?: number }} view
 *   `top` is how much of the list is above the view, in pixels.
 */
export function rowsInView({ top, height, rowHeight, count, spare = 6 }) {
  const first = Math.floor(Math.max(0, top) / rowHeight) - spare;
  const last = Math.ceil(Math.max(0, top + height) / rowHeight) + spare;
  const start = Math.min(Math.max(0, first), Math.max(0, count - 1));
  return { start, end: Math.min(count, Math.max(last, start)) };
}
