// The file and the fields of the next upload. They stay while the user looks at other pages of the console.
import { signal } from "@preact/signals";
import { probe } from "./probe.js";
import { EMPTY_FORM } from "./rules.js";

/** @typedef {{ file: File, url: string, media: import("./rules.js").Media | null | undefined }} Chosen
 *   `media` is undefined while the browser reads the file, and null if it cannot. */

export const chosen = signal(/** @type {Chosen | null} */ (null));
export const form = signal(EMPTY_FORM);

/** @param {File} file */
export async function choose(file) {
  drop();
  const url = URL.createObjectURL(file);
  chosen.value = { file, url, media: undefined };
  const media = await probe(url);
  if (chosen.peek()?.url === url) chosen.value = { file, url, media };
}

/** Forgets the file, but not what was typed. */
export function drop() {
  if (chosen.peek()) URL.revokeObjectURL(/** @type {Chosen} */ (chosen.peek()).url);
  chosen.value = null;
}

/** Forgets everything, for another upload. */
export function clearDraft() {
  drop();
  form.value = EMPTY_FORM;
}
