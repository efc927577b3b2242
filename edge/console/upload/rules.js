// Whether the service would accept a file and its fields, before a byte is sent.
import { bytes, counted, duration, number } from "../../pages/kit/format.js";
import { NO_LABELS } from "../uploads/labels.js";

/** @typedef {import("../../pages/openapi").components["schemas"]["UploadRules"]} Rules */
/** @typedef {{ name: string, size: number, type: string }} File */
/** @typedef {{ durationMs: number | null, width: number, height: number }} Media What the browser found in a file. */
/**
 * @typedef {{ what: string, next: string, isSure: boolean }} Problem
 *   `isSure`: the service cannot come to another result.
 */

/**
 * @param {File} file
 * @param {Media | null} media Null if the browser cannot read the file, although the service may.
 * @param {Rules} rules
 * @returns {Problem | null}
 */
export function judgeFile(file, media, rules) {
  if (file.size === 0) return { what: "The file is empty.", next: "Choose another one.", isSure: true };
  if (file.size > rules.max_resumable_bytes) {
    return {
      what: `The file is ${bytes(file.size)}. The maximum is ${bytes(rules.max_resumable_bytes)}.`,
      next: "Export it with a lower bit rate or resolution.", isSure: true,
    };
  }
  const extension = /\.([^.]+)$/.exec(file.name)?.[1]?.toLowerCase() ?? "";
  if (!media && !rules.file_extensions.includes(extension) && !file.type.startsWith("video/")) {
    return {
      what: "This does not look like a video.",
      next: `Choose a file of one of these types: ${rules.file_extensions.join(", ")}.`, isSure: false,
    };
  }
  return media?.durationMs == null ? null : judgeDuration(media.durationMs, rules);
}

// A browser and the service round a duration differently, and the last frame may end a little later.
const TOLERANCE_MS = 100;

/** @param {number} durationMs @param {Rules} rules @returns {Problem | null} */
function judgeDuration(durationMs, { min_duration_ms, max_duration_ms }) {
  const isShort = durationMs < min_duration_ms - TOLERANCE_MS;
  if (!isShort && durationMs <= max_duration_ms + TOLERANCE_MS) return null;
  const exact = durationMs < 60_000 ? counted(Math.round(durationMs / 100) / 10, "second") : duration(durationMs);
  const limits = `${min_duration_ms / 1000} to ${counted(max_duration_ms / 1000, "second")}`;
  return {
    what: `The video is ${exact} long. It must be ${limits} long.`,
    next: isShort ? "Choose a longer one." : "Trim it, then choose it again.", isSure: false,
  };
}

/**
 * @typedef {{ caption: string, summary: string, thumbnailTime: string, category: string, publishAt: string }
 *   & import("../uploads/labels.js").Labels} Form
 *   `thumbnailTime` as typed, such as "1:05". `publishAt` as a `datetime-local` input has it, in the reader's zone.
 */

/** @type {Form} */
export const EMPTY_FORM = {
  caption: "", summary: "", thumbnailTime: "", category: "", publishAt: "", ...NO_LABELS,
};

/**
 * Returns the errors of a form by field.
 * @param {Form} form @param {Media | null} media @param {Rules} rules @param {number} now In Unix seconds.
 * @returns {Partial<Record<keyof Form, string>>}
 */
export function judgeForm(form, media, rules, now) {
  /** @type {Partial<Record<keyof Form, string>>} */
  const errors = {};
  const texts = [["caption", rules.max_caption_characters], ["summary", rules.max_ai_summary_characters]];
  for (const [name, most] of /** @type {["caption" | "summary", number][]} */ (texts)) {
    const over = [...form[name]].length - most;
    if (over > 0) errors[name] = `This is ${counted(over, "character")} too long. The maximum is ${number(most)}.`;
  }
  if (form.thumbnailTime.trim()) {
    const seconds = secondsOf(form.thumbnailTime);
    if (seconds === null) errors.thumbnailTime = "Enter the time as minutes and seconds, such as 0:03.";
    else if (media?.durationMs != null && seconds * 1000 >= media.durationMs) {
      errors.thumbnailTime = `The video ends at ${duration(media.durationMs)}. Choose an earlier time.`;
    }
  }
  if (form.publishAt) {
    const ahead = unixOf(form.publishAt) - now;
    if (ahead < rules.min_schedule_ahead_seconds) {
      errors.publishAt = `Choose a time at least ${counted(rules.min_schedule_ahead_seconds / 60, "minute")} from now.`;
    } else if (ahead > rules.max_schedule_ahead_seconds) {
      errors.publishAt = `Choose a time within ${counted(rules.max_schedule_ahead_seconds / 86400, "day")}.`;
    }
  }
  return errors;
}

/**
 * Returns the fields of the upload that a form stands for, by their names in the API.
 * @param {Form} form
 * @returns {Record<string, string>}
 */
export function fieldsOf(form) {
  const seconds = secondsOf(form.thumbnailTime);
  const all = {
    caption: form.caption.trim(),
    super_category_id: form.category,
    thumbnail_time: seconds === null ? "" : clockTime(seconds),
    scheduled_publish_at_unix: form.publishAt && String(unixOf(form.publishAt)),
    visibility: form.visibility === NO_LABELS.visibility ? "" : form.visibility,
    is_sensitive: form.is_sensitive ? "true" : "",
    is_ai_generated: form.is_ai_generated ? "true" : "",
    ai_summary_of_content: form.summary.trim(),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value));
}

/** @param {string} typed "5", "1:05" or "0:01:05". @returns {number | null} */
export function secondsOf(typed) {
  const parts = /^(?:(?:(\d{1,2}):)?(\d{1,2}):)?(\d{1,3})$/.exec(typed.trim());
  if (!parts) return null;
  const [hours, minutes, seconds] = [Number(parts[1] ?? 0), Number(parts[2] ?? 0), Number(parts[3])];
  if (minutes > 59 || (parts[2] !== undefined && seconds > 59)) return null;
  return hours * 3600 + minutes * 60 + seconds;
}

/** @param {number} seconds */
function clockTime(seconds) {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/** @param {string} local */
const unixOf = (local) => Math.floor(new Date(local).getTime() / 1000);
