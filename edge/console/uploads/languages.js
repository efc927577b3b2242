// Languages of captions: their names, and which tracks a video has.

/** @typedef {import("./video-rules.js").Video} Video */
/** @typedef {{ key: string, label: string, language: string, isOwn: boolean }} Track */

export const MAX_LANGUAGES = 8;
const MAX_FILE_BYTES = 512 * 1024;

export const COMMON_LANGUAGES = [
  "ar", "de", "en", "es", "fr", "hi", "id", "it", "ja", "ko", "nl", "pl", "pt-BR", "ru", "tr", "uk", "vi",
  "zh-Hans", "zh-Hant",
];

const NAMES = new Intl.DisplayNames("en", { type: "language" });

/**
 * Returns the name of a language, or its tag if it has none.
 * @param {string} tag
 */
export function languageName(tag) {
  try {
    return NAMES.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/**
 * Returns the captions that the owner sent, and then the subtitles of the file in other languages.
 * @param {Video} video
 * @returns {Track[]}
 */
export function tracksOf(video) {
  const own = video.captions ?? [];
  const ofFile = (video.subtitles ?? []).filter(({ language }) => language === null || !own.includes(language));
  return [
    ...own.map((language) => ({ key: `own ${language}`, label: languageName(language), language, isOwn: true })),
    ...ofFile.map(({ language, label }, at) => ({ key: `file ${at}`, label, language: language ?? "", isOwn: false })),
  ];
}

/**
 * Returns what is wrong with captions before they are sent, or null. The service checks everything else.
 * @param {string} tag
 * @param {File} file
 */
export function captionsMistake(tag, file) {
  if (!tag) return "Enter a language first, such as en.";
  if (!/\.(vtt|srt)$/i.test(file.name)) return "Choose a WebVTT or SubRip file (.vtt or .srt).";
  if (file.size > MAX_FILE_BYTES) return "The file is larger than 512 KiB. Choose a smaller one.";
  return null;
}

/** @type {Record<string, string>} */
const DROP_REASONS = {
  pictures: "image-based",
  unreadable: "unreadable",
  empty: "no text",
  too_large: "too large",
  too_many: "too many",
};

/**
 * Returns a sentence about the subtitles of the file that cannot be shown.
 * @param {{ language: string | null, reason: string }[]} dropped
 */
export function droppedText(dropped) {
  const tracks = dropped.map(({ language, reason }) => {
    const name = language ? languageName(language) : "unknown language";
    return `${name} (${DROP_REASONS[reason] ?? reason.replaceAll("_", " ")})`;
  });
  return `Subtitles in the uploaded file that cannot be shown: ${tracks.join(", ")}.`;
}
