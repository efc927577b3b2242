// Near-duplicates among the rows: a group of them is one row, so that nobody looks at the same video twice.

import { counted } from "../../pages/kit/format.js";

/** @typedef {import("./settle.js").Row} Row */
/** @typedef {import("../types").Group} Group */
/** @typedef {import("../types").Claim} Claim */

/**
 * @typedef {Row & { key: string, members: Row[], uuids: string[], isSameFile: boolean }} ShownRow
 *   A row of the list: that of the first video of a group that is still to be decided, or of a single video.
 *   `key` stays the same when the next video of the group takes the row. `members`: the videos that the row stands for,
 *   itself first. `uuids`: the whole group, with the videos that were decided.
 */

/** The service compares only these. A decided video may be listed again for another reason. @param {Row} row */
const isWaiting = ({ waitsFor }) => waitsFor === "person";

/**
 * Returns the rows to show, each group at the place of its first row.
 * @param {Row[]} rows @param {Group[]} groups
 * @param {(uuid: string) => boolean} isPending Whether a decision about a video is on its way.
 * @returns {ShownRow[]}
 */
export function foldGroups(rows, groups, isPending) {
  const groupOf = new Map(groups.flatMap((group) => group.content_uuids.map((uuid) => [uuid, group])));
  const waiting = new Map(rows.filter(isWaiting).map((row) => [row.uuid, row]));
  const folded = new Set();
  return rows.flatMap((row) => {
    const group = isWaiting(row) ? groupOf.get(row.uuid) : undefined;
    if (!group) return [shownAs([row], false, isPending)];
    if (folded.has(group)) return [];
    folded.add(group);
    const all = group.content_uuids.flatMap((uuid) => waiting.get(uuid) ?? []);
    return [shownAs(all, group.is_same_file, isPending)];
  });
}

/** @param {Row[]} all @param {boolean} isSameFile @param {(uuid: string) => boolean} isPending @returns {ShownRow} */
function shownAs(all, isSameFile, isPending) {
  const listed = all.filter(({ isGone }) => !isGone);
  const open = listed.filter(({ uuid }) => !isPending(uuid));
  const members = [open, listed].find((some) => some.length > 0) ?? all;
  const [first, key] = [/** @type {Row} */ (members[0]), /** @type {Row} */ (all[0]).uuid];
  return { ...first, key, members, uuids: all.map(({ uuid }) => uuid), isSameFile };
}

/** The row that shows a video, or its group. @param {ShownRow[]} rows @param {string | null} uuid */
export const rowOf = (rows, uuid) => rows.find(({ uuids }) => uuid !== null && uuids.includes(uuid)) ?? null;

/**
 * Returns the other listed videos of a video's group.
 * @param {Row[]} rows @param {Group[]} groups @param {string} uuid
 * @returns {{ others: Row[], isSameFile: boolean }}
 */
export function othersInGroup(rows, groups, uuid) {
  const group = groups.find(({ content_uuids }) => content_uuids.includes(uuid));
  const waiting = new Map(rows.filter(isWaiting).map((row) => [row.uuid, row]));
  const uuids = group?.content_uuids.filter((other) => other !== uuid) ?? [];
  return { others: uuids.flatMap((other) => waiting.get(other) ?? []), isSameFile: group?.is_same_file ?? false };
}

/**
 * Returns the claim of another person to one of these videos.
 * @param {Pick<Row, "claim">[]} videos @param {string | undefined} me @param {number} now
 * @returns {Claim | null}
 */
export function claimOfOther(videos, me, now) {
  const claims = videos.map(({ claim }) => claim);
  return claims.find((claim) => claim !== null && claim.by !== me && claim.until_unix > now) ?? null;
}

/**
 * Whether a decision may include a video: nobody has decided about it, and nobody else is looking at it.
 * @param {Row} row
 * @param {{ me: string | undefined, now: number, isPending: (uuid: string) => boolean }} of
 */
export const isFree = (row, { me, now, isPending }) =>
  !row.isGone && !isPending(row.uuid) && claimOfOther([row], me, now) === null;

/** "+2 copies", or null for a single video. @param {ShownRow} row */
export function othersInWords({ members, isSameFile }) {
  const count = members.length - 1;
  if (count === 0) return null;
  return `+${isSameFile ? counted(count, "copy", "copies") : counted(count, "similar video")}`;
}
