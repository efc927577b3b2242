// The strongest reason for which a video is in the queue, in words.

import { describeFinding } from "../case/findings.js";
import { counted } from "../../pages/kit/format.js";
import { harmOfFinding } from "./order.js";

/** @typedef {Pick<import("./items.js").Item, "findings" | "flag" | "appeal" | "waitsFor">} Reasons */

/** @type {Record<string, string>} */
const REPORTS = {
  illegal: "illegal", violence: "violence", sexual: "sexual content", hate: "hate", harassment: "harassment",
  copyright: "copyright", spam: "spam", other: "something else",
};

/** @param {string} reason */
export const reportWord = (reason) => REPORTS[reason] ?? reason.replaceAll("_", " ");

/** A row has no room for more of an appeal. */
const QUOTE_CHARACTERS = 160;

/**
 * @param {Reasons} item
 * @returns {{ text: string, tone: "bad" | "wait" | "none", quote?: string }} `quote`: a stranger's words, after the text.
 */
export function strongestReason({ findings, flag, appeal, waitsFor }) {
  if (flag?.hash) return { text: "Matches a picture that was blocked later", tone: "bad" };
  if (flag) return { text: reportsInWords(flag), tone: flag.reports >= 3 ? "bad" : "wait" };
  if (appeal) return { text: "Appeal", tone: "wait", quote: beginningOf(appeal.text) };
  const strongest = findings.toSorted((a, b) => harmOfFinding(b) - harmOfFinding(a))[0];
  if (strongest && harmOfFinding(strongest) > 0) {
    const { name, tone } = describeFinding(strongest);
    return { text: name, tone };
  }
  return { text: waitsFor === "check" ? "A check has to run again" : "Waiting for a person", tone: "wait" };
}

/** @param {string} text */
const beginningOf = (text) => [...text.trim()].slice(0, QUOTE_CHARACTERS).join("");

/** @param {import("../types").Flag} flag "Reported by 3 viewers: violence, hate" */
export function reportsInWords({ reports, latest_reports }) {
  const words = [...new Set(latest_reports.map(({ reason }) => reportWord(reason)))];
  return `Reported by ${counted(reports, "viewer")}${words.length ? `: ${words.join(", ")}` : ""}`;
}
