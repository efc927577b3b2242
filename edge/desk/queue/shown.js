// The rows as the list shows them.
import { computed } from "@preact/signals";
import { pending } from "../decide/desk.js";
import { foldGroups } from "./fold.js";
import { groups, queue } from "./queue.js";

export const shownRows = computed(() =>
  foldGroups(queue.rows.value, groups.value, (uuid) => pending.about(uuid) !== null));
