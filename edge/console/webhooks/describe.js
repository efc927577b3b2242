// What webhooks, events and deliveries are called, and what to do about a delivery that failed.

import { counted, number } from "../../pages/kit/format.js";

/** @typedef {import("../../pages/openapi").components["schemas"]["Webhook"]} Webhook */
/** @typedef {import("../../pages/openapi").components["schemas"]["WebhookDelivery"]} Delivery */
/** @typedef {import("../../pages/openapi").components["schemas"]["WebhookResponse"]} Response */
/** @typedef {"work" | "wait" | "ok" | "bad" | "none"} Tone */

/** The types of events that a webhook can choose from, by what they are about. */
export const EVENT_GROUPS = [
  { name: "Videos", types: [
    { type: "content.published", text: "A video is public." },
    { type: "content.completed", text: "A public video can be watched in all its sizes." },
    { type: "content.scheduled", text: "A video is approved, and waits for its time or its release." },
    { type: "content.waiting", text: "A video waits for a check or for a moderator." },
    { type: "content.rejected", text: "A video was rejected." },
    { type: "content.failed", text: "A video could not be processed." },
    { type: "content.taken_down", text: "A moderator removed a video." },
    { type: "content.appeal_rejected", text: "A moderator rejected your appeal about a video." },
    { type: "content.deleted", text: "A video was deleted." },
  ] },
  { name: "Direct uploads", types: [
    { type: "direct_upload.used", text: "A user uploaded a video with a one-time token." },
    { type: "direct_upload.expired", text: "A one-time token expired without an upload." },
  ] },
  { name: "Your account", types: [
    { type: "limit.reached", text: "The last upload of the day was used." },
    { type: "key.rotated", text: "The API key was replaced." },
    { type: "key.deleted", text: "The API key was deleted." },
    { type: "webhook.paused", text: "The service stopped sending to a webhook." },
  ] },
];

/** @type {Map<string, string>} */
const TEXTS = new Map(EVENT_GROUPS.flatMap(({ types }) => types.map(({ type, text }) => [type, text])));

/** What an event of this type says. @param {string} type */
export const textOfEvent = (type) => TEXTS.get(type) ?? null;

/** The part of its address that a webhook is called by. @param {Webhook} webhook */
export const hostOf = ({ url }) => new URL(url).host;

/** @param {string[] | null} types */
export function describeTypes(types) {
  if (!types) return "All events";
  return types.length > 3 ? `${types.slice(0, 2).join(", ")} and ${types.length - 2} more` : types.join(", ");
}

/** @param {Webhook} webhook @returns {{ word: string, tone: Tone }} */
export function describeWebhook({ state, failures }) {
  switch (state) {
    case "active": return failures ? { word: "Failing", tone: "bad" } : { word: "Active", tone: "ok" };
    case "disabled": return { word: "Paused", tone: "none" };
    case "paused": return { word: "Stopped", tone: "bad" };
    default: return { word: String(state).replaceAll("_", " "), tone: "none" };
  }
}

/** @type {Record<string, string>} */
const STOPPED = {
  failing: "No event could be delivered for three days.",
  gone: "Your endpoint responded with 410, which means that it is gone for good.",
};

/** Why the service has stopped sending. @param {Webhook} webhook */
export const whyStopped = ({ pause_reason }) => STOPPED[pause_reason ?? ""] ?? "Your endpoint did not accept events.";

/** @param {Delivery} delivery @returns {{ word: string, tone: Tone }} */
export function describeDelivery({ state, attempts, next_attempt_at_unix }) {
  switch (state) {
    case "delivered": return { word: "Delivered", tone: "ok" };
    case "failed": return { word: "Failed", tone: "bad" };
    case "canceled": return { word: "Canceled", tone: "none" };
    case "pending":
      if (attempts) return { word: "Retrying", tone: "bad" };
      return next_attempt_at_unix === null ? { word: "Waiting", tone: "wait" } : { word: "Sending", tone: "work" };
    default: return { word: String(state).replaceAll("_", " "), tone: "none" };
  }
}

/** @type {Record<string, string>} */
const NO_RESPONSE = {
  timeout: "No response in time", unreachable: "Not reached", address_refused: "Address not allowed",
};

/** "200 in 84 ms", or why there was no response. @param {Response | null} response */
export function describeResponse(response) {
  if (!response) return null;
  if (response.status == null) return NO_RESPONSE[response.failure ?? ""] ?? "No response";
  return `${response.status} in ${number(response.latency_ms)} ms`;
}

/** @param {Response | null} response */
export const isAccepted = (response) => response?.status != null && response.status >= 200 && response.status < 300;

/** @type {Record<string, string>} */
const WITHOUT_RESPONSE = {
  timeout: "Your endpoint took longer than 10 seconds. Respond first, and do the work afterwards.",
  unreachable: "Check that your server is running, that the name leads to it, and that its certificate is valid.",
  address_refused: "The address no longer passes the checks. Edit it: it needs `https://` and a public domain name.",
};

/** @type {Record<number, string>} */
const BY_STATUS = {
  400: "If your endpoint checks the signature: verify it against the raw body, with the secret of this webhook.",
  401: "Your endpoint wants credentials. Verify the signature instead: it proves who has sent the event.",
  403: "Something rejected the request, such as a firewall. Let it through, and verify the signature instead.",
  404: "Nothing is at this address. Compare its path with your server's route.",
  405: "The route exists, but not for POST. Events are sent by POST.",
  410: "An event that gets 410 stops the webhook at once. Respond with 200 to 299 to go on.",
  413: "Your server accepts only smaller requests. An event has a few kilobytes.",
  429: "Your server limits requests. Send `Retry-After` to say when to try again.",
};

/** What to do about a response that is no success; null if it is one. @param {Response | null} response */
export function adviceFor(response) {
  if (!response || isAccepted(response)) return null;
  const { status, failure } = response;
  if (status == null) return WITHOUT_RESPONSE[failure ?? ""] ?? "Check that your server is running.";
  if (BY_STATUS[status]) return BY_STATUS[status];
  if (status >= 300 && status < 400) return "Redirects are not followed. Use the address that yours redirects to.";
  if (status >= 500) return "Your server failed, or the one in front of it. Its log says why.";
  return "Only responses from 200 to 299 count as delivered.";
}

/** "2 attempts"; null before the first one. @param {Delivery} delivery */
export const attemptsOf = ({ attempts }) => (attempts ? counted(attempts, "attempt") : null);

/**
 * What an event adds to its type.
 * @param {import("./log.js").Event} event
 */
export function detailOf({ data }) {
  return data.error_message_code ?? data.external_id ?? data.key_hint ?? null;
}
