// What a moderator typed to find a video: an address, an id or a name.

/** @typedef {"page" | "slug" | "media_name" | "channel" | "content_uuid"} By */

/** @type {{ value: By, label: string }[]} */
export const WAYS = [
  { value: "page", label: "Page address" }, { value: "slug", label: "Slug" }, { value: "content_uuid", label: "UUID" },
  { value: "media_name", label: "Media name" }, { value: "channel", label: "Channel number" },
];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns what the text is, by its form.
 * @param {string} text
 * @returns {{ by: By, value: string }}
 */
export function guess(text) {
  const value = text.trim();
  if (UUID.test(value)) return { by: "content_uuid", value: value.toLowerCase() };
  if (value.includes("/")) return { by: "page", value };
  const channel = /^(?:channel\s*#?|#)?\s*(\d+)$/i.exec(value);
  if (channel) return { by: "channel", value: channel[1] };
  if (/^[\w-]+\.\w{2,5}$/.test(value)) return { by: "media_name", value };
  return { by: "slug", value };
}
