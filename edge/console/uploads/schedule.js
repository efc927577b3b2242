// Publication times: their form in a field of the page, and the bounds that the service accepts.

const MIN_AHEAD_SECONDS = 5 * 60;
const MAX_AHEAD_SECONDS = 180 * 24 * 60 * 60;

/**
 * Returns a time as `<input type="datetime-local">` takes it, in the reader's time zone.
 * @param {number} unix
 */
export function toField(unix) {
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  const time = new Date(unix * 1000);
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`;
}

/**
 * Returns the time in a field, or null if it has none.
 * @param {string} text
 */
export function fromField(text) {
  const time = new Date(text).getTime() / 1000;
  return Number.isFinite(time) ? time : null;
}

/**
 * Returns the earliest and latest time that the field offers. A minute more, because the field has no seconds and the
 * request takes its time.
 * @param {number} nowSeconds
 */
export function bounds(nowSeconds) {
  const minute = Math.ceil(nowSeconds / 60) * 60;
  return { min: minute + MIN_AHEAD_SECONDS + 60, max: minute + MAX_AHEAD_SECONDS - 60 };
}

/**
 * Returns what is wrong with a chosen time, or null.
 * @param {number | null} time
 * @param {number} nowSeconds
 */
export function scheduleMistake(time, nowSeconds) {
  if (time === null) return "Choose a day and a time.";
  if (time < nowSeconds + MIN_AHEAD_SECONDS) return "Choose a time at least 5 minutes from now.";
  if (time > nowSeconds + MAX_AHEAD_SECONDS) return "Choose a time within 180 days.";
  return null;
}
