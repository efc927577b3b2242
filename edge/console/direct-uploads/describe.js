// What a direct upload is called, how far it is, and when it ends.

import { bytes, dayAndTime, duration } from "../../pages/kit/format.js";
import { FORM_FIELDS } from "./draft.js";

/** @typedef {import("../../pages/openapi").components["schemas"]["DirectUpload"]} DirectUpload */

export const STATES = [
  { value: "open", label: "Open" },
  { value: "used", label: "Used" },
  { value: "expired", label: "Expired" },
  { value: "revoked", label: "Revoked" },
];

/**
 * The state now: an open token expires without a word from the service.
 * @param {DirectUpload} upload @param {number} now
 * @returns {{ word: string, tone: "work" | "ok" | "none", isOpen: boolean }}
 */
export function describeUpload({ state, expires_at_unix }, now) {
  const shown = state === "open" && expires_at_unix <= now ? "expired" : state;
  const word = STATES.find(({ value }) => value === shown)?.label ?? shown.replaceAll("_", " ");
  const tone = shown === "open" ? "work" : shown === "used" ? "ok" : "none";
  return { word, tone, isOpen: shown === "open" };
}

/**
 * What the owner can tell it by.
 * @param {DirectUpload} upload
 * @param {string} [here] The origin of this page, which uploads with tokens too.
 */
export function nameOf({ fields, allowed_origin }, here) {
  if (fields.external_id) return fields.external_id;
  if (!allowed_origin) return "Apps and programs";
  return allowed_origin === here ? "Uploaded in this console" : hostOf(allowed_origin);
}

/** What else it allows, in one line. @param {DirectUpload} upload */
export function rulesOf({ fields, allowed_origin, max_bytes, max_duration_ms, requires_release }) {
  const origin = allowed_origin ? hostOf(allowed_origin) : "apps and programs";
  return [
    fields.external_id && origin,
    max_bytes && `at most ${bytes(max_bytes)}`,
    max_duration_ms && `at most ${duration(max_duration_ms)}`,
    requires_release && "needs release",
  ].filter(Boolean).join(" · ");
}

/** @param {string} origin */
const hostOf = (origin) => origin.replace(/^https?:\/\//, "");

/** @param {string} name */
const fieldOf = (name) => FORM_FIELDS.find((field) => field.name === name);

/** A field of the upload as people call it. @param {string} name */
export const labelOf = (name) => (name === "external_id" ? "External ID" : fieldOf(name)?.label ?? name);

/** The value of a field as people read it. @param {string} name @param {string} value */
export function textOf(name, value) {
  if (name === "scheduled_publish_at_unix") return dayAndTime(Number(value));
  return fieldOf(name)?.options?.find((option) => option.value === value)?.label ?? value;
}

/** The time that is left: "59:07", "23 h 05 min". @param {number} seconds */
export function countdown(seconds) {
  const left = Math.max(0, Math.floor(seconds));
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  if (left < 3600) return `${Math.floor(left / 60)}:${two(left % 60)}`;
  return `${Math.floor(left / 3600)} h ${two(Math.floor(left / 60) % 60)} min`;
}
