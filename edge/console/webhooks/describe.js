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
    { type: "content.completed", text: "All sizes of a public video are available." },
    { type: "content.scheduled", text: "A video is approved and waiting for its scheduled time or its release." },
    { type: "content.waiting", text: "A video is waiting for a check or a moderator." },
    { type: "content.rejected", text: "A video was rejected." },
    { type: "content.failed", text: "A video could not be processed." },
    { type: "content.taken_down", text: "A moderator removed a video." },
    { type: "content.restored", text: "A moderator reversed the rejection or removal of a video." },
    { type: "content.appeal_rejected", text: "A moderator rejected your appeal about a video." },
    { type: "content.deleted", text: "A video was deleted." },
  ] },
  { name: "Direct uploads", types: [
    { type: "direct_upload.used", text: "A user uploaded a video with a one-time token." },
    { type: "direct_upload.expired", text: "A one-time token expired without an upload." },
  ] },
  { name: "Your account", types: [
    { type: "limit.reached", text: "The daily upload limit was reached." },
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
  gone: "Your endpoint responded with 410 (Gone).",
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
  timeout: "Timed out", unreachable: "Unreachable", address_refused: "Address not allowed",
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
  timeout: "Your endpoint took longer than 10 seconds. Respond first, then do the work.",
  unreachable: "Check that your server is running, that its domain name resolves, and that its certificate is valid.",
  address_refused: "The URL is no longer allowed. Change it to one with `https://` and a public domain name.",
};

/** @type {Record<number, string>} */
const BY_STATUS = {
  400: "If your endpoint verifies signatures, use the raw body and this webhook's signing secret.",
  401: "Your endpoint requires credentials. Verify the signature instead: it proves who sent the event.",
  403: "Something, such as a firewall, rejected the request. Allow it, and verify the signature instead.",
  404: "Nothing was found at this URL. Compare its path with your server's routes.",
  405: "The route exists but does not accept POST. Events are sent with POST.",
  410: "A 410 response stops the webhook immediately. Respond with 200 to 299 to keep receiving events.",
  413: "Your server limits the size of requests. Allow at least a few kilobytes.",
  429: "Your server limits requests. Send `Retry-After` to say when to try again.",
};

/** What to do about a response that is no success; null if it is one. @param {Response | null} response */
export function adviceFor(response) {
  if (!response || isAccepted(response)) return null;
  const { status, failure } = response;
  if (status == null) return WITHOUT_RESPONSE[failure ?? ""] ?? "Check that your server is running.";
  if (BY_STATUS[status]) return BY_STATUS[status];
  if (status >= 300 && status < 400) return "Redirects are not followed. Use the URL that yours redirects to.";
  if (status >= 500) return "Your server, or a proxy in front of it, failed. Check its logs.";
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
