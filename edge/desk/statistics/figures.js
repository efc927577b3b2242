// The figures of a month, as the page shows them.
import { counted } from "../../pages/kit/format.js";

/** @typedef {import("../types").Statistics} Statistics */
/** @typedef {import("../types").DecisionCount} DecisionCount */
/** @typedef {{ action: string, total: number, rows: DecisionCount[] }} Group */

/** @param {{ number: number }[]} rows */
export const totalOf = (rows) => rows.reduce((sum, { number }) => sum + number, 0);

/**
 * The decisions of each action, in the service's order.
 * @param {DecisionCount[]} decisions
 * @returns {Group[]}
 */
export function byAction(decisions) {
  const actions = [...new Set(decisions.map(({ action }) => action))];
  return actions.map((action) => {
    const rows = decisions.filter((row) => row.action === action);
    return { action, total: totalOf(rows), rows };
  });
}

/** Whether nothing happened in the month. @param {Statistics} statistics */
export const isEmpty = ({ decisions, automatic_rejections, appeals }) =>
  totalOf(decisions) + automatic_rejections + appeals.made + appeals.granted + appeals.rejected === 0;

/** The month in a sentence. @param {Statistics} statistics */
export const summary = ({ decisions, automatic_rejections, appeals }) =>
  `${counted(totalOf(decisions), "decision")} by people, ${counted(automatic_rejections, "automatic rejection")}, ` +
  `${counted(appeals.made, "appeal")}.`;

/** @param {number} seconds "40 s", "5 min", "2 h 5 min", "3 days 4 h". */
export function timeTaken(seconds) {
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return inUnits(minutes, 60, "h", "min");
  const hours = Math.round(seconds / 3600);
  return inUnits(hours, 24, hours < 48 ? "day" : "days", "h");
}

/** @param {number} count @param {number} size @param {string} large @param {string} small */
function inUnits(count, size, large, small) {
  const rest = count % size;
  return `${Math.floor(count / size)} ${large}${rest ? ` ${rest} ${small}` : ""}`;
}
