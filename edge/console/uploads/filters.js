// The filters of the list: their form in the page's address, and in a request.

/**
 * `from` and `until` are days such as `2026-11-28` in the reader's time zone; both are included.
 * @typedef {{ state: string, external_id: string, from: string, until: string }} Filters
 */

/** @type {Filters} */
export const NO_FILTERS = { state: "", external_id: "", from: "", until: "" };

/** The states that the list can be narrowed to, in the order of a video's life. */
export const FILTER_STATES = [
  { value: "processing", label: "Processing" },
  { value: "scheduled", label: "Scheduled" },
  { value: "published", label: "Published" },
  { value: "rejected", label: "Rejected" },
  { value: "failed", label: "Failed" },
  { value: "taken_down", label: "Removed" },
  { value: "deleted", label: "Deleted" },
];

const MAX_EXTERNAL_ID = 128;

/**
 * Returns the filters in the query of an address. Values that no filter can have are left out.
 * @param {string} search
 * @returns {Filters}
 */
export function readFilters(search) {
  const query = new URLSearchParams(search);
  const state = query.get("state") ?? "";
  return {
    state: FILTER_STATES.some(({ value }) => value === state) ? state : "",
    external_id: [...(query.get("external_id") ?? "")].slice(0, MAX_EXTERNAL_ID).join(""),
    from: readDay(query.get("from")),
    until: readDay(query.get("until")),
  };
}

/** @param {string | null} text */
function readDay(text) {
  return text && startOfDay(text) !== null ? text : "";
}

/**
 * Returns the query of the page's address, with `?` unless there are no filters.
 * @param {Filters} filters
 */
export function writeFilters(filters) {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value)).toString();
  return query && `?${query}`;
}

/** @param {Filters} filters */
export function hasFilters(filters) {
  return Object.values(filters).some(Boolean);
}

/**
 * Returns the query of a request for a page of the list.
 * @param {Filters} filters
 * @param {{ limit: number, cursor?: string | null }} page
 */
export function listQuery(filters, { limit, cursor }) {
  const query = new URLSearchParams({ limit: String(limit) });
  if (filters.state) query.set("state", filters.state);
  if (filters.external_id) query.set("external_id", filters.external_id);
  const from = startOfDay(filters.from);
  const end = startOfDay(filters.until, 1);
  if (from !== null) query.set("created_from_unix", String(from));
  if (end !== null) query.set("created_until_unix", String(end));
  if (cursor) query.set("cursor", cursor);
  return query.toString();
}

/**
 * Returns the time at which a day begins in the reader's time zone, or null if the text is no day.
 * @param {string} day
 * @param {number} [daysLater]
 */
export function startOfDay(day, daysLater = 0) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (!parts) return null;
  const [year, month, date] = parts.slice(1).map(Number);
  const isReal = new Date(year, month - 1, date).getDate() === date && month >= 1 && month <= 12;
  const time = new Date(year, month - 1, date + daysLater).getTime() / 1000;
  return isReal && time >= 0 ? time : null;
}
