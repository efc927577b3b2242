// What a video's state means to its owner: the words for it, what it waits for, and what can be done.

/** @typedef {import("../openapi.d.ts").components["schemas"]["ContentStatus"]} Video */
/** @typedef {"ok" | "warn" | "bad" | "busy" | "quiet"} Tone */

/** @type {Record<string, [string, Tone]>} */
const WORDS = {
  processing: ["Processing", "busy"],
  scheduled: ["Scheduled", "warn"],
  published: ["Published", "ok"],
  rejected: ["Rejected", "bad"],
  failed: ["Failed", "bad"],
  taken_down: ["Removed", "bad"],
  deleted: ["Deleted", "quiet"],
};

/** @type {Record<string, string>} */
const STAGES = {
  queued: "Waits for a free machine.",
  download: "The file is being read.",
  inspect: "The file is being checked.",
  transcode: "The video is being converted.",
  moderate: "Pictures, sound and text are being checked.",
  store: "The finished files are being stored.",
};

/**
 * Returns the word for a state without its particulars, as in a filter.
 * @param {string} state
 */
export function stateWord(state) {
  return WORDS[state]?.[0] ?? state;
}

/** @param {Video} video */
export function isInReview(video) {
  // The service's own work is done, and only a moderator's decision is missing.
  return video.state === "processing" && video.stage === "moderate" && video.progress_percent === 100;
}

/** @param {Video} video */
export function isReadyToRelease(video) {
  return video.state === "scheduled" && video.needs_release;
}

/**
 * Returns the word and colour of a video's state, and its percentage while there is one.
 * @param {Video} video
 * @returns {{ word: string, tone: Tone, percent: number | null }}
 */
export function stateOf(video) {
  if (isInReview(video)) return { word: "In review", tone: "warn", percent: null };
  if (isReadyToRelease(video)) return { word: "Ready to release", tone: "warn", percent: null };
  const [word, tone] = WORDS[video.state] ?? [video.state, "quiet"];
  return { word, tone, percent: video.state === "processing" ? video.progress_percent : null };
}

/**
 * Returns a sentence about what the video waits for, or null in a state in which it waits for nothing.
 * @param {Video} video
 */
export function waitingFor(video) {
  if (video.state === "scheduled") {
    if (video.detail) return video.detail;
    return "Everything is done. The video is published by itself at its time.";
  }
  if (video.state !== "processing") return null;
  return video.detail ?? STAGES[video.stage ?? "queued"] ?? "The video is being processed.";
}

/**
 * What the owner can do with a video.
 * @typedef {object} Actions
 * @property {boolean} editTexts Caption, category and summary.
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
    release: isToCome && video.needs_release,
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

/** @param {Video} video */
export function isChanging(video) {
  return video.check_after_seconds !== null;
}

/**
 * Returns the caption on one line, or null if the video has none to show.
 * @param {Video} video
 */
export function titleOf(video) {
  return video.caption?.replace(/\s+/g, " ").trim() || null;
}

/**
 * Returns the caption, or what to call a video without one, in at most `length` characters: for dialogs and titles.
 * @param {Video} video
 * @param {number} [length]
 */
export function nameOf(video, length = 60) {
  const letters = [...(titleOf(video) ?? "Untitled video")];
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : letters.join("");
}
