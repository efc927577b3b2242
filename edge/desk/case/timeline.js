// The findings along the length of the video.

import { describeFinding, orderFindings } from "./findings.js";

/** @typedef {{ at: number, start: number, width: number }} Mark `at` in seconds; `start` and `width` in percent. */
/** @typedef {{ name: string, tone: string, marks: Mark[] }} Lane */

/** A mark is at least this wide, in percent, so that it can be hit. */
const MIN_WIDTH = 1.5;

/**
 * Returns a line for each kind of finding that names a time.
 * @param {import("../types").Finding[]} findings
 * @param {number} durationMs
 * @returns {Lane[]}
 */
export function lanesOf(findings, durationMs) {
  /** @type {Map<string, Lane>} */
  const lanes = new Map();
  for (const finding of orderFindings(findings)) {
    const from = finding.from_ms;
    if (from === undefined || from === null || durationMs <= 0) continue;
    const { name, tone } = describeFinding(finding);
    const lane = lanes.get(name) ?? { name, tone, marks: [] };
    lanes.set(name, lane);
    lane.marks.push(markOf(from, finding.until_ms ?? from, durationMs));
  }
  return [...lanes.values()];
}

/** @param {number} from @param {number} until @param {number} all @returns {Mark} */
function markOf(from, until, all) {
  const percent = (/** @type {number} */ ms) => Math.min(100, Math.max(0, (100 * ms) / all));
  const width = Math.max(MIN_WIDTH, percent(until) - percent(from));
  // A finding at the very end keeps its width inside of the line.
  return { at: Math.min(from, all) / 1000, start: Math.min(percent(from), 100 - width), width };
}
