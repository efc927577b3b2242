// Months in UTC, as the address and the service write them: "2026-11". They sort as texts.

/** While a year is typed into a field for a month, it is at first one like 0002. */
export const FIRST = "2000-01";
export const LAST = "9999-12";

const NAME = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });

/** @param {number} unix In seconds. */
export const monthOf = (unix) => new Date(unix * 1000).toISOString().slice(0, 7);

/** Whether a text is a month that is not too late. @param {string} text @param {string} latest */
export const isMonth = (text, latest) =>
  /^\d{4}-(0[1-9]|1[0-2])$/.test(text) && text >= FIRST && text <= latest;

/** The month so many months later. @param {string} month @param {number} by */
export function shifted(month, by) {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + by)).toISOString().slice(0, 7);
}

/** "November 2026". @param {string} month */
export const monthName = (month) => NAME.format(new Date(`${month}-01T00:00:00Z`));
