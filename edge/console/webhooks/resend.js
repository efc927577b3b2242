// Since when events can be sent again.

import { dayAndTime } from "../../pages/kit/format.js";

const PERIODS = [
  { seconds: 3600, label: "The last hour" },
  { seconds: 24 * 3600, label: "The last 24 hours" },
  { seconds: 7 * 24 * 3600, label: "The last 7 days" },
  { seconds: 30 * 24 * 3600, label: "The last 30 days (all stored events)" },
];

/**
 * The choices: since the last delivery, and some periods.
 * @param {number | null} lastDelivered
 * @param {number} now Both in Unix seconds.
 */
export function sinceChoices(lastDelivered, now) {
  const periods = PERIODS.map(({ seconds, label }) => ({ value: String(now - seconds), label }));
  if (lastDelivered === null) return periods;
  return [{ value: String(lastDelivered), label: `The last delivery: ${dayAndTime(lastDelivered)}` }, ...periods];
}
