// The storyboard: one picture with many small frames, and the WebVTT file that says which frame belongs to which time.

/** @typedef {{ start: number, end: number, x: number, y: number, width: number, height: number }} Cell */

const CUE = /^([\d:.]+) --> ([\d:.]+)[^\n]*\n[^\n]*#xywh=(\d+),(\d+),(\d+),(\d+)/gm;

/**
 * Returns the frames of a storyboard, in the order of their times.
 * @param {string} track The WebVTT file.
 * @returns {Cell[]}
 */
export function readStoryboard(track) {
  return [...track.replaceAll("\r\n", "\n").matchAll(CUE)].map(([, start, end, ...numbers]) => {
    const [x, y, width, height] = numbers.map(Number);
    return { start: seconds(start), end: seconds(end), x, y, width, height };
  });
}

/** @param {string} timestamp Such as `00:00:01.500` or `00:01.500`. */
function seconds(timestamp) {
  return timestamp.split(":").reduce((total, part) => total * 60 + Number(part), 0);
}

/**
 * Returns the frame that is shown at a time; the nearest one outside of the storyboard.
 * @param {Cell[]} cells
 * @param {number} time In seconds.
 * @returns {Cell | null}
 */
export function cellAt(cells, time) {
  return cells.findLast(({ start }) => start <= time) ?? cells[0] ?? null;
}

/**
 * Returns `count` frames at even distances, for a strip that is narrower than the storyboard.
 * @param {Cell[]} cells
 * @param {number} count
 */
export function sample(cells, count) {
  if (cells.length <= count) return cells;
  return Array.from({ length: count }, (_, at) => cells[Math.floor(((at + 0.5) * cells.length) / count)]);
}
