// The decisions made on this page: held back, sent, and reported.
import { effect, untracked } from "@preact/signals";
import { navigate } from "../../pages/kit/router.js";
import { toast } from "../../pages/kit/toast.jsx";
import { counted } from "../../pages/kit/format.js";
import { failureFrom, online, post, signedOut } from "../api.js";
import { queue } from "../queue/queue.js";
import { noteSent } from "../rest/today.js";
import { quoted } from "../text.js";
import { actionOf } from "./actions.js";
import { createPending } from "./pending.js";

/** @typedef {import("./pending.js").Order} Order */

/** The toast of each decision that can still be undone. @type {Map<number, () => void>} */
const toasts = new Map();

export const pending = createPending({
  send: async ({ action, reason, policyCode }, { uuid }, isLeaving) => {
    // A page that is being closed gets no response, so the decision counts as sent.
    if (isLeaving) noteSent({ action, policyCode }, uuid);
    const body = { content_uuid: uuid, reason, ...(policyCode && { policy_code: policyCode }) };
    await post(`/moderation/${action}`, body, { isLeaving });
  },
  failureFrom,
  onDone: (decision, { uuid }) => {
    queue.noteDecided(uuid);
    noteSent(decision, uuid);
  },
  onRefused: ({ action }, { uuid, title }, { what, next }) => {
    queue.refresh();
    const text = `${actionOf(action).notDone}: ${quoted(title)}. ${next ? `${what} ${next}` : what}`;
    toast(text, { action: { label: "Open", run: () => navigate(`/desk/video/${uuid}`) } });
  },
});

/** Makes a decision, in ten seconds. @param {Order} order */
export function decide(order) {
  const { doing } = actionOf(order.action);
  const [only] = order.targets;
  const what = order.targets.length === 1 && only ? quoted(only.title) : counted(order.targets.length, "video");
  const id = pending.add(order);
  toasts.set(id, toast(`${doing} ${what}`, { undo: () => undo(id) }));
}

/** Takes back a decision that was not sent yet, by default the newest. @param {number} [id] */
export function undo(id) {
  const entry = pending.undo(id);
  if (!entry) return toast("There is no decision to undo. Decisions can be undone for ten seconds.");
  toasts.get(entry.id)?.();
  const [only] = entry.targets;
  const opened = entry.caseUuid ?? (entry.targets.length === 1 ? only?.uuid : undefined);
  if (opened) navigate(`/desk/video/${opened}`);
  toast("Undone. Nothing was decided.");
}

effect(() => {
  // A decision that is on its way cannot be undone any more.
  const held = new Set(pending.entries.value.filter(({ state }) => state === "held").map(({ id }) => id));
  for (const [id, close] of toasts) {
    if (held.has(id)) continue;
    toasts.delete(id);
    untracked(close);
  }
});
effect(() => {
  if (online.value && !signedOut.value) untracked(pending.resume);
});
globalThis.addEventListener?.("pagehide", () => pending.flush({ isLeaving: true }));
globalThis.addEventListener?.("beforeunload", (event) => {
  // Decisions that are retried have failed before: leaving the page may lose them.
  if (pending.entries.peek().some(({ state }) => state === "retrying")) event.preventDefault();
});
