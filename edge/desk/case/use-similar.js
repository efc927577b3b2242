import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { now } from "../../pages/kit/time.jsx";
import { person } from "../api.js";
import { pending } from "../decide/desk.js";
import { isFree, othersInGroup } from "../queue/fold.js";
import { groups, queue } from "../queue/queue.js";
import { checkedOf, listedAtOpening } from "./similar.js";

/** @typedef {import("../queue/settle.js").Row} Row */

/**
 * The other videos of a case's group, and those of them that a decision includes: all that can be decided and were
 * listed when the case was opened, unless somebody checks others. Null if the case is not in a group.
 * @param {import("../types").Content} content
 */
export function useSimilar({ content_uuid, waits_for }) {
  const choices = useSignal(/** @type {ReadonlyMap<string, boolean>} */ (new Map()));
  const atOpening = useRef(/** @type {ReadonlySet<string> | null} */ (null));
  const { others, isSameFile } = othersInGroup(queue.rows.value, groups.value, content_uuid);
  atOpening.current = listedAtOpening(atOpening.current, others, queue.hasLoaded.value);
  if (waits_for !== "person" || others.length === 0) return null;
  const isPending = (/** @type {string} */ uuid) => pending.about(uuid) !== null;
  const free = others.filter((row) => isFree(row, { me: person.value?.name, now: now.value, isPending }));
  const checked = checkedOf(free, { atOpening: atOpening.current, choices: choices.value });
  const check = (/** @type {Row[]} */ rows, /** @type {boolean} */ isChecked) => {
    const changed = new Map(choices.peek());
    for (const { uuid } of rows) changed.set(uuid, isChecked);
    choices.value = changed;
  };
  return { others, isSameFile, free, checked, check };
}
