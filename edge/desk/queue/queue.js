// The one queue of the page. It outlives the page's views, so that the way back leads to the same rows.
import { signal } from "@preact/signals";
import { get } from "../api.js";
import { policies, readPolicies } from "../decide/policies.js";
import { createGroups } from "./groups.js";
import { createQueue } from "./store.js";

/** Without the policies, appeals are in the middle of the order. */
async function readSeverities() {
  if (policies.peek().length === 0) await readPolicies().catch(() => {});
  return new Map(policies.peek().map(({ policy_code, severity }) => [policy_code, severity]));
}

const now = () => Date.now() / 1000;
const comparison = createGroups({ get, now });

/** The waiting videos that resemble each other. */
export const { groups } = comparison;

export const queue = createQueue({ get, now, readSeverities, comparison });

/** The videos that are selected for one decision. */
export const selected = signal(/** @type {ReadonlySet<string>} */ (new Set()));

/** The cases that this person has handed over: the way to the next case leaves them out. @type {Set<string>} */
const passedOn = new Set();

/** @param {string} uuid */
export const passOn = (uuid) => passedOn.add(uuid);
/** @param {string} uuid */
export const isPassedOn = (uuid) => passedOn.has(uuid);

/** Selects the video that a row shows, without the similar ones. @param {{ uuid: string }} row */
export function toggleSelected({ uuid }) {
  const changed = new Set(selected.value);
  if (!changed.delete(uuid)) changed.add(uuid);
  selected.value = changed;
}
