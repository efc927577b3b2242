// The filters of the queue, as in the page's address.

/** @typedef {"person" | "flagged" | "appealed" | "check"} Part A list of the service. */

/** @typedef {{ value: string, label: string, parts: Part[] }} Filter */

/** @type {Filter[]} */
export const FILTERS = [
  { value: "", label: "To decide", parts: ["flagged", "person", "appealed"] },
  { value: "flagged", label: "Flagged", parts: ["flagged"] },
  { value: "waiting", label: "Waiting", parts: ["person"] },
  { value: "appeals", label: "Appeals", parts: ["appealed"] },
  { value: "check", label: "Checks", parts: ["check"] },
];

/** @param {string | null} value @returns {Filter} */
export const filterOf = (value) => FILTERS.find((filter) => filter.value === value) ?? FILTERS[0];

/** @param {string} value @param {import("../types").Counts | null} counts */
export function countOf(value, counts) {
  if (!counts) return null;
  const { flagged, appealed, waiting_for_person, waiting_for_check } = counts;
  /** @type {Record<string, number>} */
  const of = {
    "": Math.min(100, flagged + waiting_for_person + appealed), flagged, waiting: waiting_for_person,
    appeals: appealed, check: waiting_for_check,
  };
  return of[value] ?? null;
}
