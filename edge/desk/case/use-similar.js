import { useSignal } from "@preact/signals";
import { now } from "../../pages/kit/time.jsx";
import { person } from "../api.js";
import { pending } from "../decide/desk.js";
import { isFree, othersInGroup } from "../queue/fold.js";
import { groups, queue } from "../queue/queue.js";

/** @typedef {import("../queue/settle.js").Row} Row */

/**
 * The other videos of a case's group, and those of them that a decision includes: all that can be decided, unless
 * somebody unchecks them. Null if the case is not in a group.
 * @param {import("../types").Content} content
 */
export function useSimilar({ content_uuid, waits_for }) {
  const unchecked = useSignal(/** @type {ReadonlySet<string>} */ (new Set()));
  if (waits_for !== "person") return null;
  const { others, isSameFile } = othersInGroup(queue.rows.value, groups.value, content_uuid);
  if (others.length === 0) return null;
  const isPending = (/** @type {string} */ uuid) => pending.about(uuid) !== null;
  const free = others.filter((row) => isFree(row, { me: person.value?.name, now: now.value, isPending }));
  const checked = free.filter(({ uuid }) => !unchecked.value.has(uuid));
  const check = (/** @type {Row[]} */ rows, /** @type {boolean} */ isChecked) => {
    const changed = new Set(unchecked.peek());
    for (const { uuid } of rows) isChecked ? changed.delete(uuid) : changed.add(uuid);
    unchecked.value = changed;
  };
  return { others, isSameFile, free, checked, check };
}
