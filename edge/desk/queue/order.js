// The order of the queue: what harms now comes first, then what is most harmful, then what has waited longest.

/** @typedef {import("./items.js").Item} Item */

/** @type {Record<string, number>} */
const LEVELS = { pass: 0, wait: 1, review: 2, reject: 3 };

/** Within a level, harm is told apart in this many steps, so that age still counts among similar videos. */
const STEPS = 4;

/** @param {number} amount Maps 0 and more to 0 up to 1, so that a score never outweighs a recommendation. */
const part = (amount) => (amount > 0 ? amount / (1 + amount) : 0);

/** @param {import("../types").Finding} finding */
export function harmOfFinding({ recommendation, score }) {
  const level = LEVELS[recommendation] ?? 0;
  return level && level + part(score ?? 0);
}

/** @param {import("../types").Flag | null} flag */
function harmOfFlag(flag) {
  if (!flag) return 0;
  // A picture that a person has blocked is worse than any number of reports.
  return (flag.hash ? LEVELS.reject : LEVELS.review) + part(flag.reports);
}

/**
 * The harm of the policy that the video was said to break. Without one, an appeal is in the middle.
 * @param {Item["appeal"]} appeal
 */
function harmOfAppeal(appeal) {
  if (!appeal) return 0;
  return Math.min(LEVELS.reject, Math.max(LEVELS.wait, appeal.severity ?? LEVELS.review));
}

/** @param {Pick<Item, "findings" | "flag" | "appeal">} item @returns {number} 0 for no harm. */
export function harmOf({ findings, flag, appeal }) {
  const harm = Math.max(0, harmOfFlag(flag), harmOfAppeal(appeal), ...findings.map(harmOfFinding));
  return Math.floor(harm * STEPS) / STEPS;
}

/** @param {Item} item Whether viewers can see it although something speaks against it. */
const isPublicAndFlagged = ({ flag, state }) => flag !== null && state === "published";

/** @param {Item} a @param {Item} b */
export function compareItems(a, b) {
  const isPublic = Number(isPublicAndFlagged(b)) - Number(isPublicAndFlagged(a));
  // The last comparison keeps two videos of the same second in their places.
  return isPublic || harmOf(b) - harmOf(a) || a.sinceUnix - b.sinceUnix || (a.uuid < b.uuid ? -1 : 1);
}

/** @param {Item[]} items @returns {Item[]} Each video once. */
export function orderItems(items) {
  return [...new Map(items.map((item) => [item.uuid, item])).values()].sort(compareItems);
}
