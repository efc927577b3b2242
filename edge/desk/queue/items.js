// The rows of the queue, from the two lists of the service: videos that wait, and videos that were flagged.

/** @typedef {import("../types").Finding} Finding */
/** @typedef {import("../types").Flag} Flag */
/** @typedef {import("../types").Claim} Claim */

/**
 * @typedef {object} Item
 * @property {string} uuid
 * @property {number} channelId
 * @property {string | null} caption
 * @property {string} state
 * @property {"person" | "check" | null} waitsFor
 * @property {Flag | null} flag
 * @property {Finding[]} findings
 * @property {number} sinceUnix When it began to wait, or was flagged.
 * @property {number} durationMs 0 if the list does not say.
 * @property {string | null} poster
 * @property {number} posterReadAt When the picture's address was read. It works for 15 minutes.
 * @property {Claim | null} claim
 */

/** @param {any} content @param {number} now @returns {Item} */
export function itemOfQueued(content, now) {
  return {
    uuid: content.content_uuid, channelId: content.channel_id, caption: content.caption, state: "processing",
    waitsFor: content.waits_for, flag: null, findings: content.findings ?? [], sinceUnix: content.waits_since_unix,
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
    findings: content.findings ?? [], sinceUnix: flagged_at_unix, durationMs: content.duration_ms ?? 0,
    poster: content.poster_url ?? null, posterReadAt: now, claim: content.claim ?? null,
  };
}
