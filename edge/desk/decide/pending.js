// Decisions on their way: each is held back for a few seconds, so that it can be undone, and then sent.

import { signal } from "@preact/signals";

/** @typedef {import("../types").Action} Action */
/** @typedef {import("../../pages/kit/failures.js").Failure} Failure */
/** @typedef {{ uuid: string, title: string }} Target */
/**
 * @typedef {{ action: Action, targets: Target[], reason: string, policyCode: string | null, caseUuid?: string }} Order
 *   `caseUuid`: the case in which it was made.
 *
 * @typedef {Order & { id: number, state: "held" | "sending" | "retrying", problem: Failure | null }} Entry
 *   `targets`: those that are not decided yet.
 */

export const UNDO_SECONDS = 10;
/** The pause before a decision is sent again, if the service names none. */
const RETRY_SECONDS = 5;
/** Requests at a time for a decision about many videos. */
const AT_ONCE = 4;
/** Failures that pass. Every other one is the service's last word. */
const PASSING = ["offline", "unreachable", "limited", "server", "signed_out"];

/**
 * @param {{ send: (order: Order, target: Target, isLeaving: boolean) => Promise<void>,
 *   failureFrom: (error: unknown) => Failure,
 *   onDone?: (entry: Entry, target: Target) => void,
 *   onRefused?: (entry: Entry, target: Target, failure: Failure) => void,
 *   later?: (run: () => void, seconds: number) => number, cancel?: (timer: number) => void }} of
 */
export function createPending({
  send, failureFrom, onDone = () => {}, onRefused = () => {},
  later = (run, seconds) => /** @type {any} */ (setTimeout(run, seconds * 1000)), cancel = clearTimeout,
}) {
  const entries = signal(/** @type {Entry[]} */ ([]));
  /** @type {Map<number, number>} */
  const timers = new Map();
  let last = 0;

  /** @param {number} id @param {Partial<Entry> | null} change Null removes the entry. */
  function change(id, change) {
    const changed = (/** @type {Entry} */ entry) => (change ? [{ ...entry, ...change }] : []);
    entries.value = entries.value.flatMap((entry) => (entry.id === id ? changed(entry) : [entry]));
  }

  const find = (/** @type {number} */ id) => entries.peek().find((entry) => entry.id === id);

  /** @param {number} id */
  function stop(id) {
    cancel(timers.get(id) ?? 0);
    timers.delete(id);
  }

  /** Holds a decision back, and returns its id. @param {Order} order */
  function add(order) {
    const id = (last += 1);
    entries.value = [...entries.value, { ...order, id, state: "held", problem: null }];
    timers.set(id, later(() => dispatch(id, false), UNDO_SECONDS));
    return id;
  }

  /** Takes back a decision, or the newest one; returns it if it was not sent yet. @param {number} [id] */
  function undo(id) {
    const entry = entries.peek().findLast(({ state, ...other }) => state === "held" && (id ?? other.id) === other.id);
    if (!entry) return null;
    stop(entry.id);
    change(entry.id, null);
    return entry;
  }

  /** @param {number} id @param {boolean} isLeaving */
  async function dispatch(id, isLeaving) {
    const entry = find(id);
    if (!entry || (entry.state === "sending" && !isLeaving)) return;
    stop(id);
    change(id, { state: "sending", problem: null });
    const waiting = [...entry.targets];
    let problem = /** @type {Failure | null} */ (null);
    // A page that is being left has no time for one request after the other.
    const lanes = isLeaving ? waiting.length : Math.min(AT_ONCE, waiting.length);
    await Promise.all(Array.from({ length: lanes }, async () => {
      for (let target; !problem && (target = waiting.shift()); ) {
        problem = await decide(entry, target, isLeaving) ?? problem;
      }
    }));
    const left = find(id)?.targets ?? [];
    if (left.length === 0) return change(id, null);
    change(id, { state: "retrying", problem });
    // Somebody has to sign in first.
    if (problem?.kind === "signed_out") return;
    timers.set(id, later(() => dispatch(id, false), problem?.retryAfter ?? RETRY_SECONDS));
  }

  /**
   * Sends one decision. Returns the failure if it should be sent again.
   * @param {Entry} entry @param {Target} target @param {boolean} isLeaving
   */
  async function decide(entry, target, isLeaving) {
    let failure = /** @type {Failure | null} */ (null);
    try {
      await send(entry, target, isLeaving);
    } catch (error) {
      failure = failureFrom(error);
      if (PASSING.includes(failure.kind)) return failure;
    }
    change(entry.id, { targets: (find(entry.id)?.targets ?? []).filter(({ uuid }) => uuid !== target.uuid) });
    if (failure) onRefused(entry, target, failure);
    else onDone(entry, target);
    return null;
  }

  /** Sends everything now. @param {{ isLeaving?: boolean }} [how] */
  const flush = ({ isLeaving = false } = {}) =>
    Promise.all(entries.peek().map(({ id }) => dispatch(id, isLeaving)));

  /** Forgets everything that was not sent. */
  function drop() {
    entries.peek().forEach(({ id }) => stop(id));
    entries.value = [];
  }

  /** Sends again what waited for a connection or a session. */
  const resume = () =>
    Promise.all(entries.peek().filter(({ state }) => state === "retrying").map(({ id }) => dispatch(id, false)));

  /** The decision about a video that is on its way, if there is one. @param {string} uuid */
  const about = (uuid) => entries.value.find(({ targets }) => targets.some((target) => target.uuid === uuid)) ?? null;

  return { entries, add, undo, flush, resume, drop, about };
}
