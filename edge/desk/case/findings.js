// Findings in words, and where they are in the video.

/** @typedef {import("../types").Finding} Finding */

/** @type {Record<string, string>} */
const NAMES = {
  blocklist: "Resembles a removed video", pictures: "Too many different pictures to compare",
  black: "Black picture", frozen: "Still picture", silent: "No sound", loud: "Much louder than the rest",
  flashing: "Flashes that can trigger seizures", classifier: "Classifier label", report: "The check was incomplete",
};

/** @type {Record<string, string>} */
const ADVICE = {
  reject: "Recommends rejection", review: "Needs review", wait: "The check could not run", pass: "For your information",
};

/** @type {Record<string, "bad" | "wait" | "none">} */
const TONES = { reject: "bad", review: "wait", wait: "wait" };

/** @type {string[]} */
const STRICTNESS = ["reject", "review", "wait", "pass"];

/** @param {number} value */
const decimal = (value) => String(Math.round(value * 100) / 100);

/** @param {Finding} finding */
function nameOf({ check, recommendation, note }) {
  if (check === "blocklist" && recommendation === "reject") return "A copy of a removed video";
  if (check === "blocklist" && recommendation === "pass") return "Could not be compared with removed videos";
  if (check === "classifier" && recommendation === "wait") return "The classifier did not respond";
  if (check === "classifier" && note) return `Classifier: ${note}`;
  // Checks may be added: an unknown one is shown by its own name.
  return NAMES[check] ?? check.replaceAll("_", " ");
}

/** @param {Finding} finding The score with its threshold; null if it has none. */
function scoreOf({ check, score }) {
  if (score === undefined || score === null) return null;
  if (check === "flashing") return `${decimal(score * 3)} flashes in the worst second; more than 3 need review`;
  return `Score ${decimal(score)}`;
}

/**
 * @param {Finding} finding
 * @returns {{ name: string, advice: string, tone: "bad" | "wait" | "none", details: string[] }}
 */
export function describeFinding(finding) {
  const { check, recommendation, note, score } = finding;
  // The name of a classifier's label, and the number of flashes, are said already.
  const isSaid = (check === "classifier" && recommendation !== "wait") || (check === "flashing" && score != null);
  const name = nameOf(finding);
  // The notes of the detectors begin with the check's own name.
  const rest = note?.replace(new RegExp(`^${check}(; |$)`), "");
  const own = isSaid || !rest || rest.toLowerCase() === name.toLowerCase() ? null : rest;
  return {
    name, advice: ADVICE[recommendation] ?? recommendation, tone: TONES[recommendation] ?? "none",
    details: [scoreOf(finding), own ?? null].filter((text) => text !== null),
  };
}

/** @param {Finding} finding What is about the whole video comes after what has a place in it. */
const momentOf = ({ from_ms }) => from_ms ?? Number.MAX_SAFE_INTEGER;

/** @param {Finding[]} findings The strictest first, then by their time. */
export function orderFindings(findings) {
  const rank = (/** @type {Finding} */ { recommendation }) => STRICTNESS.indexOf(recommendation);
  return findings.toSorted((a, b) => rank(a) - rank(b) || momentOf(a) - momentOf(b));
}

/**
 * Returns the findings with those that say the same of several parts of the video put together.
 * @param {Finding[]} findings
 * @returns {{ finding: Finding, parts: Finding[] }[]} `parts`: those that name a time, one of each second.
 */
export function groupFindings(findings) {
  /** @type {Map<string, { finding: Finding, parts: Finding[] }>} */
  const groups = new Map();
  for (const finding of orderFindings(findings)) {
    const key = JSON.stringify(describeFinding(finding));
    const group = groups.get(key) ?? { finding, parts: [] };
    groups.set(key, group);
    const second = Math.floor(momentOf(finding) / 1000);
    const isNew = group.parts.every((part) => Math.floor(momentOf(part) / 1000) !== second);
    if (finding.from_ms != null && isNew) group.parts.push(finding);
  }
  return [...groups.values()];
}

/**
 * Returns the second at which the video opens: the first moment of the strictest findings that name one.
 * @param {Finding[]} findings
 */
export function firstMoment(findings) {
  const first = orderFindings(findings).find(({ from_ms }) => from_ms !== undefined && from_ms !== null);
  return (first?.from_ms ?? 0) / 1000;
}
