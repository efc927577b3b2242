// The form for a new direct upload, and the request that it makes.

import { LABELS, VISIBILITIES } from "../uploads/labels.js";

/** @typedef {{ value: string, label: string }} Option */

/** @type {Option[]} */
const YES_OR_NO = [{ value: "true", label: "Yes" }, { value: "false", label: "No" }];

/**
 * The fields of an upload that its owner can fix, or leave to the user. `options`: all values of a field.
 * @type {{ name: string, label: string, isFile?: boolean, options?: Option[] }[]}
 */
export const FORM_FIELDS = [
  { name: "caption", label: "Caption" },
  { name: "super_category_id", label: "Category" },
  { name: "ai_summary_of_content", label: "AI summary" },
  { name: "thumbnail_time", label: "Thumbnail time" },
  { name: "thumbnail_file", label: "Thumbnail image", isFile: true },
  { name: "captions_file", label: "Captions", isFile: true },
  { name: "scheduled_publish_at_unix", label: "Publication time" },
  { name: "visibility", label: "Visibility", options: VISIBILITIES },
  ...LABELS.map(({ name, label }) => ({ name, label, options: YES_OR_NO })),
  { name: "metadata", label: "Metadata" },
];

/** Who sets a field: nobody, the owner now, or the user. @typedef {"nobody" | "owner" | "user"} Who */
/** @typedef {{ who: Who, value: string }} FieldChoice */
/**
 * @typedef {{ origin: string, expiresIn: string, megabytes: string, seconds: string, externalId: string,
 *   requiresRelease: boolean, fields: Record<string, FieldChoice> }} Draft
 */

/** @returns {Draft} */
export const newDraft = () => ({
  origin: "", expiresIn: "3600", megabytes: "", seconds: "", externalId: "", requiresRelease: false,
  fields: Object.fromEntries(FORM_FIELDS.map(({ name }) =>
    [name, { who: name === "caption" ? "user" : "nobody", value: "" }])),
});

/**
 * The origin of an address that somebody pasted; null if no page can have it.
 * @param {string} text
 */
export function originOf(text) {
  if (!URL.canParse(text.trim())) return null;
  const { protocol, hostname, origin } = new URL(text.trim());
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return protocol === "https:" || (protocol === "http:" && isLocal) ? origin : null;
}

/**
 * What is wrong, by the name of the field in the form.
 * @param {Draft} draft
 * @returns {Record<string, string>}
 */
export function judge({ origin, megabytes, seconds, externalId, fields }) {
  /** @type {Record<string, string>} */
  const errors = {};
  if (origin.trim() && originOf(origin) === null) {
    errors.origin = "Enter an origin such as https://app.example. Only localhost can use http.";
  }
  if (megabytes.trim() && !(Number(megabytes) > 0)) errors.megabytes = "Enter a number of megabytes, such as 200.";
  if (seconds.trim() && !(Number(seconds) >= 2 && Number(seconds) <= 120)) errors.seconds = "Enter 2 to 120 seconds.";
  if ([...externalId].length > 128) errors.externalId = "Use at most 128 characters.";
  for (const [name, { who, value }] of Object.entries(fields)) {
    if (who === "owner" && !value.trim()) errors[name] = "Enter a value, or let the user set it.";
  }
  return errors;
}

/**
 * The request, without what is left to the service.
 * @param {Draft} draft
 */
export function requestOf({ origin, expiresIn, megabytes, seconds, externalId, requiresRelease, fields }) {
  const owned = Object.entries(fields).filter(([, { who }]) => who === "owner");
  const wanted = {
    allowed_origin: originOf(origin) ?? undefined,
    expires_in_seconds: Number(expiresIn),
    max_bytes: megabytes.trim() ? Math.round(Number(megabytes) * 1e6) : undefined,
    max_duration_ms: seconds.trim() ? Math.round(Number(seconds) * 1000) : undefined,
    external_id: externalId.trim() || undefined,
    fields: Object.fromEntries(owned.map(([name, { value }]) => [name, valueOf(name, value)])),
    user_may_set: Object.entries(fields).filter(([, { who }]) => who === "user").map(([name]) => name),
    requires_release: requiresRelease,
  };
  return wanted;
}

/** @param {string} name @param {string} value */
function valueOf(name, value) {
  if (name !== "scheduled_publish_at_unix") return value.trim();
  return String(Math.floor(new Date(value).getTime() / 1000));
}

/** The fields of the form by the names that a failure gives. @type {Record<string, string>} */
const FORM_NAMES = {
  allowed_origin: "origin", max_bytes: "megabytes", max_duration_ms: "seconds", external_id: "externalId",
};

/**
 * The field of the form that a failure is about; null if it is about none of them.
 * @param {string | null} field
 */
export function formField(field) {
  if (field === null) return null;
  return FORM_NAMES[field] ?? (FORM_FIELDS.some(({ name }) => name === field) ? field : null);
}
