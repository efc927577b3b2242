// Numbers, sizes, durations and times as people read them.

const NUMBER = new Intl.NumberFormat("en");
const DECIMAL = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "long" });
const DAY = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });
const EXACT = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" });
const MOMENT = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
  hourCycle: "h23" });
const DAY_AND_TIME = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric", hour: "2-digit",
  minute: "2-digit", hourCycle: "h23" });
const CLOCK = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** @param {number} value */
export const number = (value) => NUMBER.format(value);

/** @param {number} count @param {string} one @param {string} [many] "1 upload", "2 uploads". */
export const counted = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** @param {number} count Bytes in decimal units: "95 MB". */
export function bytes(count) {
  const units = ["bytes", "KB", "MB", "GB"];
  let unit = 0;
  for (; count >= 999.5 && unit < units.length - 1; unit += 1) count /= 1000;
  return `${unit === 0 || count >= 100 ? NUMBER.format(Math.round(count)) : DECIMAL.format(count)} ${units[unit]}`;
}

/** @param {number} milliseconds A video's length: "0:06", "1:59", "1:02:03". */
export function duration(milliseconds) {
  const all = Math.round(milliseconds / 1000);
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const end = String(seconds).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${end}` : `${minutes}:${end}`;
}

/** @param {number} seconds A time to wait, in words: "40 seconds", "3 minutes", "2 h 5 min". */
export function wait(seconds) {
  if (seconds < 60) return counted(Math.max(1, Math.ceil(seconds)), "second");
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return counted(minutes, "minute");
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest ? ` ${rest} min` : ""}`;
}

/**
 * "just now", "3 minutes ago", "in 2 hours"; beyond seven days, a date.
 * @param {number} unix @param {number} now Both in seconds.
 */
export function relativeTime(unix, now) {
  const seconds = unix - now;
  const size = Math.abs(seconds);
  // `now` may be 20 seconds old, and the clocks of the reader and the service differ a little.
  if (size < 45) return seconds > 25 ? "in a moment" : "just now";
  if (size < 2700) return RELATIVE.format(Math.round(seconds / 60), "minute");
  if (size < 79200) return RELATIVE.format(Math.round(seconds / 3600), "hour");
  if (size < 604800) return RELATIVE.format(Math.round(seconds / 86400), "day");
  return DAY.format(unix * 1000);
}

/** @param {number} unix The exact time, in the reader's zone. */
export const exactTime = (unix) => EXACT.format(unix * 1000);

/** @param {number} unix "Nov 28, 2026", in the reader's zone. */
export const day = (unix) => DAY.format(unix * 1000);

/** @param {number} unix "28 Nov, 14:05", in the reader's zone. */
export const moment = (unix) => MOMENT.format(unix * 1000);

/** @param {number} unix "28 Nov 2026, 14:05", in the reader's zone. */
export const dayAndTime = (unix) => DAY_AND_TIME.format(unix * 1000);

/** @param {number} unix "14:05", in the reader's zone. */
export const clock = (unix) => CLOCK.format(unix * 1000);

/** @param {string | null | undefined} caption The first line of a caption, which names the video. */
export const titleOf = (caption) => caption?.trim().split("\n")[0]?.trim() || "Untitled video";
