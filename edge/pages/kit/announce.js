// Tells screen readers what happened elsewhere on the page.
import { signal } from "@preact/signals";

export const announcement = signal("");

/** @param {string} text */
export function announce(text) {
  // The same text twice is read twice only if the region was empty in between.
  announcement.value = "";
  setTimeout(() => (announcement.value = text), 50);
}
