// Who finds a video, and what its page says about it: the words for visibility and labels.

/** @typedef {import("./video-rules.js").Video} Video */
/** @typedef {Pick<Video, "visibility" | "is_sensitive" | "is_ai_generated">} Labels Named as in the API. */

/** What a video has that was uploaded without these fields. @type {Labels} */
export const NO_LABELS = { visibility: "public", is_sensitive: false, is_ai_generated: false };

/** @type {{ value: Labels["visibility"], label: string, meaning: string }[]} */
export const VISIBILITIES = [
  { value: "public", label: "Public", meaning: "Anyone can watch it, and search engines can find it." },
  { value: "unlisted", label: "Unlisted",
    meaning: "Anyone with the link can watch it. Search engines are asked not to list it." },
];

/** @type {{ name: "is_sensitive" | "is_ai_generated", label: string, meaning: string }[]} */
export const LABELS = [
  { name: "is_sensitive", label: "Sensitive",
    meaning: "Viewers see a warning before the video, and link previews have no picture." },
  { name: "is_ai_generated", label: "AI-generated", meaning: "The video's page says that it is AI-generated." },
];

/** @param {Pick<Video, "visibility">} video */
export function visibilityOf({ visibility }) {
  return VISIBILITIES.find(({ value }) => value === visibility)?.label ?? visibility;
}

/** The beginning of a sentence about a published video. @param {Pick<Video, "visibility">} video */
export function whoCanWatch({ visibility }) {
  return visibility === "unlisted" ? "Anyone with the link can watch it" : "Anyone can watch it";
}

/**
 * Returns a video's labels and who set them, or null if it has none.
 * @param {Pick<Video, "is_sensitive" | "is_ai_generated" | "moderator_labels">} video
 */
export function labelsOf(video) {
  const words = LABELS.filter(({ name }) => video[name]).map(({ name, label }) =>
    (video.moderator_labels.includes(name) ? `${label} (set by a moderator)` : label));
  return words.join(", ") || null;
}
