// Subtitles as text: what is said in the video can be read faster than it is heard.

/** @typedef {{ start: number, text: string }} Cue `start` in seconds. */

const TIMES = /^(?:(\d+):)?(\d{1,2}):(\d{2})[.,](\d{3})\s+-->/;

/** @param {string} track A WebVTT file. @returns {Cue[]} */
export function readCues(track) {
  return track.replaceAll("\r\n", "\n").split(/\n{2,}/).flatMap((block) => {
    const lines = block.split("\n");
    const at = lines.findIndex((line) => TIMES.test(line));
    const [, hours = "0", ...rest] = TIMES.exec(lines[at] ?? "") ?? [];
    if (at < 0) return [];
    const [minutes, seconds, milliseconds] = rest.map(Number);
    const start = Number(hours) * 3600 + minutes * 60 + seconds + milliseconds / 1000;
    const text = lines.slice(at + 1).join(" ").replaceAll(/<\/?[a-z][^>\n]*>/g, "").trim();
    return text ? [{ start, text: unescaped(text) }] : [];
  });
}

/** @type {Record<string, string>} */
const NAMED = { amp: "&", lt: "<", gt: ">", lrm: "", rlm: "", nbsp: " " };

/** @param {string} text */
const unescaped = (text) => text.replaceAll(/&(amp|lt|gt|lrm|rlm|nbsp);/g, (_, name) => NAMED[name] ?? "");

const LANGUAGES = new Intl.DisplayNames("en", { type: "language" });

/** @param {string} tag The name of a language, or its tag if it has none. */
export function languageName(tag) {
  try {
    return LANGUAGES.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
