// The form of a video's fields, and the request that its edits make.

import { counted } from "../../pages/kit/format.js";

/** @typedef {import("./video-rules.js").Video} Video */
/** @typedef {{ name: string, value: string }} MetadataRow */

/**
 * The fields of the form as the page holds them: text, and rows for the metadata.
 * @typedef {object} Form
 * @property {string} caption
 * @property {string} super_category_id
 * @property {string} ai_summary_of_content
 * @property {string} external_id
 * @property {MetadataRow[]} metadata
 * @property {import("./labels.js").Labels["visibility"]} visibility
 * @property {boolean} is_sensitive
 * @property {boolean} is_ai_generated
 */

/** The longest texts that the service accepts, in characters. */
export const MAX_CHARACTERS = { caption: 2200, ai_summary_of_content: 5000, external_id: 128 };
export const MAX_METADATA_ROWS = 20;
const FIELDS = [
  "caption", "super_category_id", "ai_summary_of_content", "external_id", "metadata", "visibility", "is_sensitive",
  "is_ai_generated",
];

/**
 * @param {Video} video
 * @returns {Form}
 */
export function formOf(video) {
  return {
    caption: video.caption ?? "",
    super_category_id: video.super_category_id === null ? "" : String(video.super_category_id),
    ai_summary_of_content: video.ai_summary_of_content ?? "",
    external_id: video.external_id ?? "",
    metadata: Object.entries(video.metadata).map(([name, value]) => ({ name, value })),
    visibility: video.visibility,
    is_sensitive: video.is_sensitive,
    is_ai_generated: video.is_ai_generated,
  };
}

/**
 * Returns the form with the owner's edits. A label that a moderator has set stays, even if it was edited before.
 * @param {Partial<Form>} edits
 * @param {Video} video
 * @returns {Form}
 */
export function editedForm(edits, video) {
  const isLocked = (/** @type {string} */ name) => video.moderator_labels.some((label) => label === name);
  const own = Object.entries(edits).filter(([name]) => !isLocked(name));
  return { ...formOf(video), ...Object.fromEntries(own) };
}

/**
 * Returns the members of `update_content` for the fields that differ from the video. An empty field removes the value.
 * @param {Partial<Form>} edits
 * @param {Video} video
 */
export function changesOf(edits, video) {
  const before = requestOf(formOf(video));
  const after = requestOf(editedForm(edits, video));
  const isChanged = (/** @type {string} */ name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]);
  return Object.fromEntries(Object.entries(after).filter(([name]) => isChanged(name)));
}

/**
 * @param {Form} form
 * @returns {Record<string, unknown>}
 */
function requestOf(form) {
  const rows = form.metadata.filter(isFilled).sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    // Browsers send line breaks of a text area as \n; a caption may have been uploaded with others.
    caption: form.caption.replaceAll("\r\n", "\n") || null,
    super_category_id: form.super_category_id ? Number(form.super_category_id) : null,
    ai_summary_of_content: form.ai_summary_of_content.replaceAll("\r\n", "\n") || null,
    external_id: form.external_id || null,
    metadata: rows.length ? Object.fromEntries(rows.map(({ name, value }) => [name, value])) : null,
    visibility: form.visibility,
    is_sensitive: form.is_sensitive,
    is_ai_generated: form.is_ai_generated,
  };
}

/** @param {MetadataRow} row */
function isFilled({ name, value }) {
  return name !== "" || value !== "";
}

/**
 * Returns what is wrong with the form before it is sent, by field: what the request could not even say, and texts that
 * are too long. The service checks everything else.
 * @param {Form} form
 * @returns {Record<string, string>}
 */
export function mistakesIn(form) {
  /** @type {Record<string, string>} */
  const mistakes = {};
  for (const [field, max] of Object.entries(MAX_CHARACTERS)) {
    const over = characters(form[/** @type {keyof typeof MAX_CHARACTERS} */ (field)]) - max;
    if (over > 0) mistakes[field] = `Too long by ${counted(over, "character")}.`;
  }
  const names = form.metadata.filter(isFilled).map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (names.includes("")) mistakes.metadata = "A value has no name. Name it, or remove its row.";
  else if (twice !== undefined) mistakes.metadata = `Two rows are named “${twice}”. Rename or remove one.`;
  return mistakes;
}

/**
 * Returns the field of the form at which an error is shown, or null if it belongs to none of them.
 * @param {string | null | undefined} field The `field` of a failed response, such as `metadata.campaign`.
 */
export function fieldOfError(field) {
  const name = field?.split(/[.[]/)[0] ?? "";
  return FIELDS.includes(name) ? name : null;
}

/**
 * Counts as the service does: an emoji is one character, whatever its length in memory.
 * @param {string} text
 */
export function characters(text) {
  return [...text].length;
}
