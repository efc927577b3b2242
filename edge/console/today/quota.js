// How much of the day's quota is left, and how that is shown.
import { clock, counted, number, wait } from "../../pages/kit/format.js";

/** @typedef {import("../../pages/openapi").components["schemas"]["UploadLimits"]} Limits */

/**
 * The uploads that are left today.
 * @param {Limits} limits
 * @returns {{ left: string, tone: "warn" | "bad" | undefined }} `tone` warns from a tenth of the day's uploads on.
 */
export function describeUploads({ remaining, limit_amount }) {
  const left = `${number(remaining)} of ${counted(limit_amount, "upload")} left`;
  if (remaining === 0) return { left, tone: "bad" };
  return { left, tone: remaining <= limit_amount / 10 ? "warn" : undefined };
}

/**
 * "in 2 h, at 01:00": what follows "resets".
 * @param {number} unix @param {number} now Both in Unix seconds.
 */
export function describeReset(unix, now) {
  return unix <= now ? "now" : `in ${wait(unix - now)}, at ${clock(unix)}`;
}
