// The filters of the audit log, as in the page's address. The service filters by one subject or one person; everything
// else is filtered here, among the entries that were loaded.

/** @typedef {import("../types").TrailEntry} TrailEntry */
/** @typedef {{ action: string, actor: string, subject: string }} Filter Empty: any. */

/** @param {URLSearchParams} query @returns {Filter} */
export const filterOf = (query) => ({
  action: query.get("action") ?? "", actor: query.get("by") ?? "", subject: query.get("subject") ?? "",
});

/** @param {Filter} filter */
export function addressOf({ action, actor, subject }) {
  const search = new URLSearchParams({
    ...(action && { action }), ...(actor && { by: actor }), ...(subject && { subject }),
  });
  return `/desk/audit${search.size ? `?${search}` : ""}`;
}

/** @param {string} subject Such as `channel:7`. */
export const entriesAbout = (subject) => addressOf({ action: "", actor: "", subject });

/**
 * Returns what the service filters, and what is left for the page. A subject has fewer entries than a person.
 * @param {Filter} filter
 * @returns {{ asked: { subject?: string, actor?: string }, rest: { action: string, actor: string } }}
 */
export function splitFilter({ action, actor, subject }) {
  if (subject) return { asked: { subject }, rest: { action, actor } };
  return { asked: actor ? { actor } : {}, rest: { action, actor: "" } };
}

/** @param {TrailEntry[]} entries @param {{ action: string, actor: string }} rest */
export const filtered = (entries, { action, actor }) =>
  entries.filter((entry) => (!action || entry.action === action) && (!actor || entry.actor === actor));

/**
 * The values to choose from, in the order of their labels. The chosen one is among them before it is loaded.
 * @param {Iterable<string>} values @param {string} chosen @param {(value: string) => string} label
 */
export function choices(values, chosen, label) {
  const all = new Set(chosen ? [...values, chosen] : values);
  return [...all].map((value) => ({ value, label: label(value) })).sort((a, b) => a.label.localeCompare(b.label, "en"));
}
