// What a moderator typed to find a video: an address, an id, a name or a hash.

/** @typedef {"page" | "slug" | "media_name" | "channel" | "content_uuid" | "sha256" | "blocked_hash"} By */
/** @typedef {{ by: By, value: string }} Wanted */

/** @type {{ value: By, label: string, phrase: string }[]} `phrase`: what was searched for, before the value. */
export const WAYS = [
  { value: "page", label: "Page address", phrase: "the page address" },
  { value: "slug", label: "Slug", phrase: "the slug" },
  { value: "content_uuid", label: "UUID", phrase: "the UUID" },
  { value: "media_name", label: "Media name", phrase: "the media name" },
  { value: "channel", label: "Channel number", phrase: "the channel number" },
  { value: "sha256", label: "File (SHA-256)", phrase: "the file" },
  { value: "blocked_hash", label: "Blocked hash", phrase: "the videos that this blocked hash caught:" },
];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const HASH = /^[0-9a-f]{64}$/i;

/**
 * Returns what the text is, by its form. A SHA-256 and a blocked hash look the same: the latter has to be chosen.
 * @param {string} text
 * @returns {Wanted}
 */
export function guess(text) {
  const value = text.trim();
  if (UUID.test(value)) return { by: "content_uuid", value: value.toLowerCase() };
  if (HASH.test(value)) return { by: "sha256", value: value.toLowerCase() };
  if (value.includes("/")) return { by: "page", value };
  const channel = /^(?:channel\s*#?|#)?\s*(\d+)$/i.exec(value);
  if (channel) return { by: "channel", value: channel[1] };
  if (/^[\w-]+\.\w{2,5}$/.test(value)) return { by: "media_name", value };
  return { by: "slug", value };
}

/**
 * Returns what is searched for and how.
 * @param {string} text @param {string} chosen A way that was chosen; empty if none was.
 * @returns {Wanted}
 */
export function wantedBy(text, chosen) {
  const guessed = guess(text);
  const by = WAYS.find(({ value }) => value === chosen)?.value ?? guessed.by;
  if (by === guessed.by) return guessed;
  return { by, value: HASH.test(text.trim()) ? text.trim().toLowerCase() : text.trim() };
}
