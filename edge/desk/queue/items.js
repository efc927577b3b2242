// The rows of the queue, from the lists of the service: videos that wait, were flagged, or whose owners have appealed.

/** @typedef {import("../types").Finding} Finding */
/** @typedef {import("../types").Flag} Flag */
/** @typedef {import("../types").Claim} Claim */

/**
 * @typedef {object} Appeal A pending appeal.
 * @property {string} text The owner's words.
 * @property {string} decidedBy Who made the decision.
 * @property {number | null} severity Of the policy that the decision named, from 1 to 3; null if it is not known.
 */

/**
 * @typedef {object} Item
 * @property {string} uuid
 * @property {number} channelId
 * @property {string | null} caption
 * @property {string} state
 * @property {"person" | "check" | null} waitsFor
 * @property {Flag | null} flag
 * @property {Appeal | null} appeal
 * @property {Finding[]} findings
 * @property {number | null} uploadedUnix Null if the list does not say.
 * @property {number} sinceUnix When it began to wait, was flagged, or its owner appealed.
 * @property {number} durationMs 0 if the list does not say.
 * @property {string | null} poster
 * @property {number} posterReadAt When the picture's address was read. It works for 15 minutes.
 * @property {Claim | null} claim
 */

/** @param {any} content @param {number} now @returns {Item} */
export function itemOfQueued(content, now) {
  return {
    uuid: content.content_uuid, channelId: content.channel_id, caption: content.caption, state: "processing",
    waitsFor: content.waits_for, flag: null, appeal: null, findings: content.findings ?? [],
    uploadedUnix: content.created_at_unix ?? null, sinceUnix: content.waits_since_unix,
    durationMs: content.duration_ms ?? 0, poster: content.poster_url ?? null, posterReadAt: now,
    claim: content.claim ?? null,
  };
}

/** @param {any} content @param {number} now @returns {Item} */
export function itemOfFlagged(content, now) {
  const { flagged_at_unix, hash, reports, latest_reports } = content;
  return {
    uuid: content.content_uuid, channelId: content.channel_id, caption: content.caption, state: content.state,
    waitsFor: null, flag: { flagged_at_unix, hash, reports, latest_reports: latest_reports ?? [] },
    appeal: null, findings: content.findings ?? [], uploadedUnix: null, sinceUnix: flagged_at_unix,
    durationMs: content.duration_ms ?? 0, poster: content.poster_url ?? null, posterReadAt: now,
    claim: content.claim ?? null,
  };
}

/** @param {any} appealed @param {number | null} severity @param {number} now @returns {Item} */
export function itemOfAppealed({ content, text, made_at_unix, decided_by, poster_url, claim }, severity, now) {
  return {
    uuid: content.content_uuid, channelId: content.channel_id, caption: content.caption, state: content.state,
    waitsFor: content.waits_for ?? null, flag: null, appeal: { text, decidedBy: decided_by, severity }, findings: [],
    uploadedUnix: null, sinceUnix: made_at_unix, durationMs: 0, poster: poster_url ?? null, posterReadAt: now,
    claim: claim ?? null,
  };
}

/** @param {Item[]} items @returns {Item[]} Each video once, with what all lists say about it. */
export function mergeItems(items) {
  /** @type {Map<string, Item>} */
  const merged = new Map();
  for (const item of items) {
    const first = merged.get(item.uuid);
    const both = first && { ...first, flag: first.flag ?? item.flag, appeal: first.appeal ?? item.appeal };
    merged.set(item.uuid, both ?? item);
  }
  return [...merged.values()];
}
