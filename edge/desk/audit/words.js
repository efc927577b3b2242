// The entries of the audit log in words.

/** @type {Record<string, string>} */
export const ACTIONS = {
  approve: "Video approved", reject: "Video rejected", take_down: "Video taken down", restore: "Video restored",
  reject_appeal: "Appeal rejected", label: "Labels changed", flag_dismissed: "Flag dismissed",
  removed_content_deleted: "Removed video deleted by its owner",
  flagged_content_deleted: "Flagged video deleted by its owner",
  block_hash: "Hash blocked", unblock_hash: "Hash unblocked",
  channel_suspended: "Channel suspended", suspension_lifted: "Suspension lifted", account_erased: "Account erased",
  policies_set: "Policies changed",
  token_created: "Token created", token_ended: "Token revoked",
  origin_key_created: "Origin key created", origin_key_ended: "Origin key revoked",
  key_created: "API key created", key_rotated: "API key rotated", key_deleted: "API key deleted",
  key_reported_leaked: "API key reported as leaked",
  webhook_created: "Webhook created", webhook_changed: "Webhook changed", webhook_deleted: "Webhook deleted",
  webhook_secret_rotated: "Webhook secret rotated",
  job_requeued: "Job requeued", dead_letter_dropped: "Failed job dropped",
  removal_repeated: "Removal repeated after a restore",
};

/** The service may add actions. An unknown one is shown by its name in the API. @param {string} action */
export const wordOf = (action) => (Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : action.replaceAll("_", " "));

/**
 * What an entry is about, and where that is at the desk.
 * @param {string} subject A kind, and after a colon which one.
 * @returns {{ name: string, of?: string, href?: string }} `of`: the id or the name of the one that is meant.
 */
export function describeSubject(subject) {
  const [, kind = subject, of = ""] = /^([a-z_]+):(.*)$/s.exec(subject) ?? [];
  if (kind === "content" && /^[0-9a-f-]{36}$/.test(of)) return { name: "Video", of, href: `/desk/video/${of}` };
  if (kind === "channel" && /^\d{1,16}$/.test(of)) return { name: "Channel", of, href: `/desk/channel/${of}` };
  if (kind === "hash" && /^[0-9a-f]{64}$/.test(of)) return { name: "Hash", of, href: `/desk/blocklist?hash=${of}` };
  const words = kind.replaceAll("_", " ");
  const name = words.charAt(0).toUpperCase() + words.slice(1);
  return of ? { name, of } : { name };
}

/** The person or program. Names of tokens have no colon. @param {string} actor */
export function describeActor(actor) {
  const [, kind, of] = /^(account|key):(.*)$/s.exec(actor) ?? [];
  if (kind === "account") return `Owner, account ${of}`;
  return kind === "key" ? `Owner, key ${of}` : actor;
}
