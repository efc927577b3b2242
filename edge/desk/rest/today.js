// The hard videos of today, and the reminder to rest. Without the operator's choice, nothing is counted.
import { effect, signal } from "@preact/signals";
import { person } from "../api.js";
import { policies } from "../decide/policies.js";
import { createCount, dayOf, isHard } from "./count.js";

const count = createCount({ storage: () => localStorage, today: () => dayOf(new Date()) });

/** Whether it is time to rest. */
export const isDue = signal(false);

/** The videos that are counted, so that one that is sent again counts once. @type {Set<string>} */
const counted = new Set();

/** How many there were today; 0 if nothing is counted. */
export function hardToday() {
  const { name, rest_after } = person.value ?? {};
  return name !== undefined && rest_after ? count.count(name) : 0;
}

/**
 * Counts a decision that was sent.
 * @param {{ action: import("../types").Action, policyCode: string | null }} decision @param {string} uuid
 */
export function noteSent(decision, uuid) {
  const { name, rest_after } = person.peek() ?? {};
  if (name === undefined || !rest_after || counted.has(uuid) || !isHard(decision, policies.peek())) return;
  counted.add(uuid);
  if (count.add(name) % rest_after === 0) isDue.value = true;
}

globalThis.addEventListener?.("storage", count.reread);
effect(() => {
  if (person.value?.rest_after === null) count.forget();
});
