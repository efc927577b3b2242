// Counts the distressing videos that a person has reviewed on one day, on this device.

import { signal } from "@preact/signals";

/** @typedef {import("../types").Action} Action */
/** @typedef {import("../types").Policy} Policy */

/** The severity of the policies about distressing videos. */
const DISTRESSING = 3;
const PREFIX = "desk.distressing.";

/**
 * Whether a decision says that the video was distressing.
 * @param {{ action: Action, policyCode: string | null }} decision @param {Policy[]} policies
 */
export function isDistressing({ action, policyCode }, policies) {
  if (action !== "reject" && action !== "take_down") return false;
  return policies.some(({ policy_code, severity }) => policy_code === policyCode && severity === DISTRESSING);
}

/** @param {Date} date "2026-11-28", in the person's zone. */
export const dayOf = (date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");

/**
 * Without storage, as in some private windows, the count lasts as long as the page.
 * @param {{ storage: () => Storage, today: () => string }} of
 */
export function createCount({ storage, today }) {
  const changes = signal(0);
  /** @type {Map<string, number>} */
  const counts = new Map();
  const keyOf = (/** @type {string} */ name) => `${PREFIX}${today()}.${name}`;

  /** @param {string} key */
  function stored(key) {
    try {
      return Number.parseInt(storage().getItem(key) ?? "", 10) || 0;
    } catch {
      return 0;
    }
  }

  /** Today's number. Other tabs add to it. @param {string} name @returns {number} */
  function count(name) {
    changes.value;
    const key = keyOf(name);
    return Math.max(stored(key), counts.get(key) ?? 0);
  }

  /** Counts one more video, and returns today's number. @param {string} name */
  function add(name) {
    const more = count(name) + 1;
    forget((key) => !key.startsWith(keyOf("")));
    counts.set(keyOf(name), more);
    try {
      storage().setItem(keyOf(name), String(more));
    } catch {
      // The number in memory counts.
    }
    changes.value += 1;
    return more;
  }

  /** Removes stored numbers, by default all. @param {(key: string) => boolean} [isOver] */
  function forget(isOver = () => true) {
    try {
      const keys = Array.from({ length: storage().length }, (_, at) => storage().key(at) ?? "");
      for (const key of keys) if (key.startsWith(PREFIX) && isOver(key)) storage().removeItem(key);
    } catch {
      // Nothing is stored.
    }
  }

  /** Rereads the number after another tab has changed it. */
  const reread = () => void (changes.value += 1);

  return { count, add, forget, reread };
}
