// The webhooks of the channel, as every view knows them, and the channel's event log.

import { signal } from "@preact/signals";
import { get, post, RequestFailed } from "../api.js";
import { createFeed } from "../../pages/kit/feed.js";
import { createLog } from "./log.js";

/** @typedef {import("./describe.js").Webhook} Webhook */
/** @typedef {import("./describe.js").Delivery} Delivery */
/** @typedef {Delivery & { event: import("./log.js").Event | null }} DeliveredEvent */

const PAGE_LENGTH = 50;

/** @param {string} action */
const path = (action) => `/developer/webhooks/${action}`;

export const webhooks = createFeed({
  readPage: async () => ({ rows: /** @type {Webhook[]} */ ((await get("/developer/webhooks")).webhooks), next: null }),
  orderOf: ({ webhook_uuid }) => webhook_uuid,
});

export const log = createLog((after, limit) => get("/developer/events", { after, limit }));

/** The webhook whose new secret this page could not show. */
export const unseen = signal(/** @type {string | null} */ (null));

/**
 * Creates a webhook or rotates a secret, and returns the webhook with the secret: no other response has it.
 * @param {"create" | "rotate_secret"} action
 * @param {object} body
 * @returns {Promise<{ webhook: Webhook, secret: string }>}
 */
export async function makeSecret(action, body) {
  const isKnown = webhooks.hasLoaded.peek();
  const before = new Map(webhooks.rows.peek().map((row) => [row.webhook_uuid, row.previous_secret_ends_at_unix]));
  try {
    const made = await post(path(action), body);
    unseen.value = null;
    await readAgain();
    return made;
  } catch (error) {
    // The response may have been lost after the secret was made.
    await readAgain();
    const isNew = (/** @type {Webhook} */ row) => before.get(row.webhook_uuid) !== row.previous_secret_ends_at_unix;
    unseen.value = (isKnown && webhooks.rows.peek().find(isNew)?.webhook_uuid) || null;
    throw error;
  }
}

/** Reads the list again. If that fails, the list is read again soon, and says so. */
async function readAgain() {
  try {
    if (webhooks.hasLoaded.peek()) await webhooks.refresh();
    else await webhooks.load();
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
  }
}

/** @param {{ webhook_uuid: string, url?: string, event_types?: string[] | null, is_active?: boolean }} change */
export async function updateWebhook(change) {
  webhooks.put((await post(path("update"), change)).webhook);
}

/** @param {string} webhook_uuid */
export async function deleteWebhook(webhook_uuid) {
  await post(path("delete"), { webhook_uuid });
  webhooks.remove(webhook_uuid);
}

/**
 * @param {string} webhook_uuid
 * @returns {Promise<import("../../pages/openapi").components["schemas"]["WebhookTested"]>}
 */
export function testWebhook(webhook_uuid) {
  return post(path("send_test"), { webhook_uuid });
}

/** The deliveries of a webhook, each with its event if that is in the log. @param {string} webhook_uuid */
export function deliveriesOf(webhook_uuid) {
  return createFeed({
    readPage: async (before) => {
      const page = await get(path("deliveries"), { webhook_uuid, before, limit: PAGE_LENGTH });
      const events = await lookUp(page.deliveries.map((/** @type {Delivery} */ delivery) => delivery.sequence));
      const rows = page.deliveries.map((/** @type {Delivery} */ delivery) =>
        ({ ...delivery, event: events?.get(delivery.sequence) ?? null }));
      return { rows: /** @type {DeliveredEvent[]} */ (rows), next: page.next_before };
    },
    orderOf: ({ sequence }) => sequence,
  });
}

/** @param {number[]} sequences */
async function lookUp(sequences) {
  try {
    return await log.lookUp(sequences);
  } catch (error) {
    // The deliveries are worth showing without the details of their events.
    if (error instanceof RequestFailed) return null;
    throw error;
  }
}

/** The channel's events, the newest first. */
export const allEvents = createFeed({ readPage: log.readPage, orderOf: ({ sequence }) => sequence });

/** @param {string} webhook_uuid @param {string} event_id */
export async function sendAgain(webhook_uuid, event_id) {
  await post(path("send_again"), { webhook_uuid, event_id });
}

/**
 * Sends events since a time again, and returns how many. One request covers a part of the log.
 * @param {string} webhook_uuid
 * @param {{ since_unix: number, include_delivered: boolean }} which
 */
export async function sendAllAgain(webhook_uuid, which) {
  let total = 0;
  let after = null;
  do {
    /** @type {import("../../pages/openapi").components["schemas"]["EventsSentAgain"]} */
    const part = await post(path("send_again"), { webhook_uuid, ...which, after });
    total += part.queued;
    after = part.next_after;
  } while (after !== null);
  return total;
}
