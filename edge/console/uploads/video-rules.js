// What a video's state means to its owner: what it waits for, and what can be done.

import { titleOf } from "../../pages/kit/format.js";
import { describeState } from "../../pages/kit/states.js";

/** @typedef {import("../../pages/openapi.d.ts").components["schemas"]["ContentStatus"]} Status */
/**
 * @typedef {{ state: "pending" | "granted" | "rejected", made_at_unix: number, decided_at_unix: number | null }} Appeal
 */
/** @typedef {Status & { appeal?: Appeal | null, can_appeal_until_unix?: number | null }} Video */

/** @type {Record<string, string>} */
const STAGES = {
  queued: "Waiting for a free machine.",
  download: "The file is being read.",
  inspect: "The file is being checked.",
  transcode: "The video is being converted.",
  moderate: "Pictures, sound and text are being checked.",
  store: "The finished files are being stored.",
};

/**
 * Returns a sentence about what the video waits for, or null in a state in which it waits for nothing.
 * @param {Video} video
 */
export function waitingFor(video) {
  if (video.state === "scheduled") {
    if (video.detail) return video.detail;
    return "The video is ready and will be published automatically at the scheduled time.";
  }
  if (video.state !== "processing") return null;
  return video.detail ?? STAGES[video.stage ?? "queued"] ?? "The video is being processed.";
}

/**
 * What the owner can do with a video.
 * @typedef {object} Actions
 * @property {boolean} editTexts Caption, category, summary, visibility and labels.
 * @property {boolean} editOwnData External id and metadata.
 * @property {boolean} schedule
 * @property {boolean} release
 * @property {boolean} thumbnail
 * @property {boolean} captions
 * @property {boolean} remove
 */

/**
 * @param {Video} video
 * @returns {Actions}
 */
export function actionsOf(video) {
  const isAlive = ["processing", "scheduled", "published"].includes(video.state);
  const isToCome = video.state === "processing" || video.state === "scheduled";
  return {
    editTexts: isAlive || video.state === "failed",
    editOwnData: video.state !== "deleted",
    schedule: isToCome,
    release: isToCome && Boolean(video.needs_release),
    thumbnail: isAlive,
    captions: isAlive,
    remove: video.state !== "deleted",
  };
}

/**
 * Whether releasing the video, or publishing it now, makes it public in this moment. Nothing takes that back.
 * @param {Video} video
 * @param {"release" | "publish"} action
 * @param {number} nowSeconds
 */
export function publishesAtOnce(video, action, nowSeconds) {
  if (video.state !== "scheduled") return false;
  return action === "publish" || (video.scheduled_publish_at_unix ?? 0) <= nowSeconds;
}

/**
 * Returns what to call a video in a dialog or a title: its caption's first line, in at most `length` characters.
 * @param {Video} video
 * @param {number} [length]
 */
export function nameOf(video, length = 60) {
  const letters = [...titleOf(video.caption)];
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : letters.join("");
}

/**
 * Returns what happened when the service refused an action because of the video's state, which has been read again.
 * @param {Video} video
 */
export function conflictText(video) {
  return `Nothing was changed, because the video's state is now “${describeState(video).word}”.`;
}
