// The failed requests by their codes, and what is shown of each group.

import { hourly, HOURS_OF_DAY, sum } from "./counts.js";

/** @typedef {import("./counts.js").Report} Report */

/**
 * @typedef {object} Group
 * @property {string} code
 * @property {number} week How many requests failed with this code in 7 days.
 * @property {number} day How many of them in the last 24 hours.
 * @property {number} lastSeen In Unix seconds.
 * @property {number[]} hours The counts by hour, the oldest first.
 */

/**
 * Returns the groups. Those that happen now come first.
 * @param {Report} report
 * @param {number} now In Unix seconds.
 * @returns {Group[]}
 */
export function groupsOf(report, now) {
  const codes = new Set(report.counts.map(({ error_message_code }) => error_message_code));
  // A request may be listed before it is counted.
  for (const { error_message_code } of report.requests) codes.add(error_message_code);
  const groups = [...codes].map((code) => {
    const hours = hourly(report, now, code);
    return { code, hours, week: sum(hours), day: sum(hours.slice(-HOURS_OF_DAY)), lastSeen: lastSeen(report, code) };
  });
  return groups.sort((a, b) => b.day - a.day || b.week - a.week || b.lastSeen - a.lastSeen);
}

/**
 * Returns when the last request failed with this code: the hour, if the request itself is no longer listed.
 * @param {Report} report
 * @param {string} code
 */
function lastSeen(report, code) {
  const is = (/** @type {{ error_message_code: string }} */ one) => one.error_message_code === code;
  const times = [
    ...report.requests.filter(is).map(({ at_unix }) => at_unix),
    ...report.counts.filter(is).map(({ hour_unix }) => hour_unix),
  ];
  return Math.max(...times);
}

/**
 * Adds up neighbouring hours, so that a narrow chart has few bars. The last bar ends with the last hour.
 * @param {number[]} hours
 * @param {number} size The hours of a bar.
 */
export function combine(hours, size) {
  const bars = new Array(Math.ceil(hours.length / size)).fill(0);
  hours.forEach((count, at) => {
    bars[bars.length - 1 - Math.floor((hours.length - 1 - at) / size)] += count;
  });
  return bars;
}

/** @type {Record<string, string>} */
const CREDENTIALS = { api_key: "API key", direct_upload_token: "One-time token" };

/** @param {string} name As the service calls it. */
export const credentialName = (name) => CREDENTIALS[name] ?? name.replaceAll("_", " ");
