// What to do about a video that was rejected or failed, or about a change of it that failed.

import { isAppealable } from "./appeals.js";

/** @typedef {{ text: string, canUploadAgain: boolean }} Advice */

const SUPPORT = "If you think this is a mistake, contact the site's support and include the video's ID.";

/** @type {Advice} */
const TAKEN_DOWN = { text: "Copies of the video are rejected.", canUploadAgain: false };

/** @type {Record<string, Advice>} */
const BY_CODE = {
  content_moderation_rejected: {
    text: "Uploading the same video again gives the same result.",
    canUploadAgain: false,
  },
  content_processing_failed: {
    text: "Upload the video again. If that fails too, contact the site's support and include the video's ID.",
    canUploadAgain: true,
  },
  content_file_invalid_format: {
    text: "Export the video again, for example as MP4, check that it plays to its end, and upload it.",
    canUploadAgain: true,
  },
  content_file_too_large: {
    text: "Export the video with a lower bitrate or resolution, and upload it.",
    canUploadAgain: true,
  },
  content_video_duration_invalid: { text: "Cut the video to 2 to 120 seconds, and upload it.", canUploadAgain: true },
  content_thumbnail_time_invalid: {
    text: "Upload the video with a thumbnail time before its end.",
    canUploadAgain: true,
  },
  content_thumbnail_invalid: {
    text: "Upload the video with another thumbnail: a JPEG, PNG or WebP image of at most 2 MB.",
    canUploadAgain: true,
  },
  content_captions_invalid: {
    text: "Upload the video with corrected captions: WebVTT or SubRip, with text before the video ends.",
    canUploadAgain: true,
  },
};

/**
 * Returns what the owner can do about a rejected, failed or removed video.
 * @param {{ state: string, error_message_code: string | null,
 *   appeal?: import("./video-rules.js").Appeal | null, can_appeal_until_unix?: number | null }} video
 * @returns {Advice}
 */
export function adviceFor(video) {
  const { state, error_message_code: code } = video;
  if (state === "taken_down") return withSupport(TAKEN_DOWN, video);
  const advice = BY_CODE[code ?? ""] ?? { text: "See the error's page for what to do.", canUploadAgain: false };
  return code === "content_moderation_rejected" ? withSupport(advice, video) : advice;
}

/**
 * Where there is no appeal, only the site's support can help.
 * @param {Advice} advice @param {Parameters<typeof isAppealable>[0]} video
 */
function withSupport(advice, video) {
  return isAppealable(video) ? advice : { ...advice, text: `${advice.text} ${SUPPORT}` };
}

/** @type {Record<string, string>} */
const THUMBNAIL_FAILURES = {
  content_thumbnail_invalid: "The image could not be read. Choose another one.",
  content_moderation_rejected: "The image did not pass the checks. Choose another one.",
  content_processing_failed: "The thumbnail could not be created. Try again.",
};

/** @type {Record<string, string>} */
const CAPTIONS_FAILURES = {
  content_captions_invalid: "The captions begin after the end of the video. Upload another file.",
  content_moderation_rejected: "The captions did not pass the checks. Upload another file.",
  content_processing_failed: "The captions could not be processed. Upload the file again.",
};

/** @param {string | null} code */
export function thumbnailFailure(code) {
  return THUMBNAIL_FAILURES[code ?? ""] ?? "The thumbnail could not be changed. Try again.";
}

/** @param {string | null} code */
export function captionsFailure(code) {
  return CAPTIONS_FAILURES[code ?? ""] ?? "The captions could not be changed. Try again.";
}
