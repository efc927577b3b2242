// How many requests failed in each hour.

import { counted, number } from "../../pages/kit/format.js";

/**
 * What the service knows about the failed requests of the channel.
 * @typedef {object} Report
 * @property {number} since_unix The first hour that is covered.
 * @property {boolean} is_complete Whether every failure was counted.
 * @property {{ hour_unix: number, error_message_code: string, count: number }[]} counts The newest hour first.
 * @property {FailedRequest[]} requests The last ones, the newest first.
 */
/**
 * @typedef {{ at_unix: number, request_id: string, method: string, path: string, status: number,
 *   error_message_code: string, field: string | null, detail: string | null, user_agent: string | null,
 *   credential: string }} FailedRequest
 */

export const HOUR = 3600;
export const HOURS_OF_DAY = 24;
const HOURS_OF_WEEK = 168;

/**
 * Returns the counts of all hours that are covered, the oldest first. The last one is the current hour.
 * @param {Report} report
 * @param {number} now In Unix seconds.
 * @param {string} [code] Counts only the requests with this code.
 */
export function hourly(report, now, code) {
  const first = report.since_unix;
  const newest = report.counts.reduce((latest, { hour_unix }) => Math.max(latest, hour_unix), first);
  // The service covers seven days, whatever the reader's clock says.
  const passed = Math.min(Math.max(Math.floor((now - first) / HOUR), HOURS_OF_WEEK - 1), HOURS_OF_WEEK);
  const hours = new Array(Math.max(passed, (newest - first) / HOUR) + 1).fill(0);
  for (const { hour_unix, error_message_code, count } of report.counts) {
    const at = (hour_unix - first) / HOUR;
    if (at in hours && (code === undefined || error_message_code === code)) hours[at] += count;
  }
  return hours;
}

/** @param {number[]} hours */
export const sum = (hours) => hours.reduce((total, count) => total + count, 0);

/**
 * Returns how many requests failed in the last 24 hours.
 * @param {Report} report @param {number} now In Unix seconds.
 */
export const lastDay = (report, now) => sum(hourly(report, now).slice(-HOURS_OF_DAY));

/**
 * Returns a count as text. One that may be higher says so.
 * @param {number} count @param {boolean} isComplete @param {string} [what] What is counted, in the singular.
 */
export function atLeast(count, isComplete, what) {
  const text = what ? counted(count, what) : number(count);
  return isComplete ? text : `at least ${text}`;
}
