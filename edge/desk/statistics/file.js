// A month's figures as a CSV file (RFC 4180), one number a row.
import { csvRow } from "../export/lines.js";

export const COLUMNS = ["month", "kind", "action", "policy_code", "number", "median_seconds"];

/** Texts that begin with one of these are formulas for a spreadsheet. */
const FORMULA = /^[=+\-@\t\r]/;

/** @param {string | null} text The text as a cell that a spreadsheet does not run. */
const plain = (text) => (text !== null && FORMULA.test(text) ? `'${text}` : text);

/** @param {import("../types").Statistics} statistics */
export function csvOf({ month, decisions, automatic_rejections, appeals }) {
  const numbers = [
    ["automatic_rejection", automatic_rejections], ["appeal_made", appeals.made],
    ["appeal_granted", appeals.granted], ["appeal_rejected", appeals.rejected],
  ];
  const rows = [
    COLUMNS,
    ...decisions.map(({ action, policy_code, number, median_seconds }) =>
      [plain(month), "decision", plain(action), plain(policy_code), number, median_seconds]),
    ...numbers.map(([kind, number]) => [plain(month), kind, null, null, number, null]),
  ];
  return rows.map((cells) => `${csvRow(cells)}\r\n`).join("");
}
