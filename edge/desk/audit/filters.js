// The service does not filter the audit log, so the entries that were loaded are filtered here.

/** @typedef {import("../types").TrailEntry} TrailEntry */

/** @param {TrailEntry[]} entries @param {{ action: string, actor: string }} filter Empty: any. */
export const filtered = (entries, { action, actor }) =>
  entries.filter((entry) => (!action || entry.action === action) && (!actor || entry.actor === actor));

/**
 * The values to choose from, in the order of their labels. The chosen one is among them before it is loaded.
 * @param {string[]} values @param {string} chosen @param {(value: string) => string} label
 */
export function choices(values, chosen, label) {
  const all = new Set(chosen ? [...values, chosen] : values);
  return [...all].map((value) => ({ value, label: label(value) })).sort((a, b) => a.label.localeCompare(b.label, "en"));
}
