// Whether an owner can appeal against a rejection or a removal, and the outcome of the appeal.

import { counted, day } from "../../pages/kit/format.js";
import { characters } from "./edit.js";

/** @typedef {import("./video-rules.js").Video} Video */

export const MAX_APPEAL_CHARACTERS = 1000;

/**
 * Whether the owner can appeal, or has appealed.
 * @param {{ appeal?: import("./video-rules.js").Appeal | null, can_appeal_until_unix?: number | null }} video
 */
export const isAppealable = ({ appeal, can_appeal_until_unix: until }) => Boolean(appeal ?? until);

/**
 * Returns what became of the appeal, or null if there is none to tell of. A pending appeal says when it was sent.
 * @param {Pick<Video, "state" | "appeal">} video
 * @returns {{ text: string, sentAtUnix: number | null } | null}
 */
export function describeAppeal({ state, appeal }) {
  const isRemoved = state === "rejected" || state === "taken_down";
  if (!appeal || state === "deleted") return null;
  const { state: outcome, made_at_unix, decided_at_unix } = appeal;
  if (outcome === "pending") {
    return isRemoved ? { text: "A moderator will review it.", sentAtUnix: made_at_unix } : null;
  }
  if (outcome === "granted") return isRemoved ? null : { text: "Your appeal was granted.", sentAtUnix: null };
  const when = decided_at_unix === null ? "" : ` on ${day(decided_at_unix)}`;
  return isRemoved ? { text: `Your appeal was rejected${when}. The decision stands.`, sentAtUnix: null } : null;
}

/**
 * Returns what is wrong with the text of an appeal, or null.
 * @param {string} text
 */
export function appealMistake(text) {
  if (!text.trim()) return "Say why the decision is wrong.";
  const over = characters(text) - MAX_APPEAL_CHARACTERS;
  return over > 0 ? `Too long by ${counted(over, "character")}.` : null;
}
