// Which of the other videos in a group are checked, so that a decision about the case includes them.

/**
 * Returns the ids of the videos that were listed when the case was opened.
 * @param {ReadonlySet<string> | null} before What it returned last; null at first.
 * @param {{ uuid: string }[]} others Those that are listed now. @param {boolean} hasLoaded Whether the list was read.
 * @returns {ReadonlySet<string> | null} Null until the list was read.
 */
export function listedAtOpening(before, others, hasLoaded) {
  if (before || !hasLoaded) return before;
  return new Set(others.map(({ uuid }) => uuid));
}

/**
 * Returns the checked videos. One that joins the group while the case is open starts unchecked: a moderator who is
 * about to decide may not have seen it.
 * @template {{ uuid: string }} Video
 * @param {Video[]} free Those that a decision may include.
 * @param {{ atOpening: ReadonlySet<string> | null, choices: ReadonlyMap<string, boolean> }} of
 *   `choices`: what the moderator checked or unchecked.
 */
export const checkedOf = (free, { atOpening, choices }) =>
  free.filter(({ uuid }) => choices.get(uuid) ?? atOpening?.has(uuid) ?? false);
