// The distressing videos of today, and the suggestion of a break. Without the operator's choice, nothing is counted.
import { effect, signal } from "@preact/signals";
import { person } from "../api.js";
import { policies } from "../decide/policies.js";
import { createCount, dayOf, isDistressing } from "./count.js";

const count = createCount({ storage: () => localStorage, today: () => dayOf(new Date()) });

/** Whether it is time for a break. */
export const isDue = signal(false);

/** The videos that are counted, so that one that is sent again counts once. @type {Set<string>} */
const countedUuids = new Set();

/** How many there were today; 0 if nothing is counted. */
export function distressingToday() {
  const { name, rest_after } = person.value ?? {};
  return name !== undefined && rest_after ? count.count(name) : 0;
}

/**
 * Counts a decision that was sent.
 * @param {{ action: import("../types").Action, policyCode: string | null }} decision @param {string} uuid
 */
export function noteSent(decision, uuid) {
  const { name, rest_after } = person.peek() ?? {};
  if (name === undefined || !rest_after || countedUuids.has(uuid) || !isDistressing(decision, policies.peek())) return;
  countedUuids.add(uuid);
  const today = count.add(name);
  // A reminder of the day before is over.
  if (today === 1) isDue.value = false;
  if (today % rest_after === 0) isDue.value = true;
}

globalThis.addEventListener?.("storage", count.reread);
effect(() => {
  if (person.value?.rest_after === null) count.forget();
});
