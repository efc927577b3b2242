// The account's API key, as every page knows it.
import { signal } from "@preact/signals";
import { failureFrom, get, post } from "../api.js";

/** @typedef {import("../../pages/openapi").components["schemas"]["KeyMetadata"]} KeyMetadata */
/** @typedef {KeyMetadata & { previous_key_ends_at_unix?: number }} Key */
/** @typedef {import("../../pages/kit/failures.js").Failure} Failure */

/** What is known of the key: undefined until it has been read, null if the account has none. */
export const key = signal(/** @type {Key | null | undefined} */ (undefined));
/** Whether there is a new key that this page could not show. */
export const isUnseen = signal(false);
export const keyFailure = signal(/** @type {Failure | null} */ (null));

/** How often this page has changed the key. What was read before a change is out of date. */
let changes = 0;

export async function readKey() {
  const known = changes;
  try {
    const { key: read } = await get("/user_settings/get_api_key");
    if (known === changes) key.value = read;
    keyFailure.value = null;
  } catch (error) {
    keyFailure.value = failureFrom(error);
  }
}

/**
 * Creates the key or replaces it, and returns the full key: no other response has it.
 * @param {"create" | "rotate"} change
 * @param {{ previous_key_valid_seconds?: number }} [body]
 * @returns {Promise<string>}
 */
export async function makeKey(change, body = {}) {
  const before = key.peek()?.key_hint;
  try {
    const made = await post(`/user_settings/${change}_api_key`, body);
    changes += 1;
    key.value = made.key;
    isUnseen.value = false;
    return made.api_key;
  } catch (error) {
    // The response may have been lost, or another page was faster.
    await readKey();
    isUnseen.value = Boolean(key.peek()) && key.peek()?.key_hint !== before;
    throw error;
  }
}

export async function deleteKey() {
  await post("/user_settings/delete_api_key");
  changes += 1;
  key.value = null;
  isUnseen.value = false;
}

/**
 * Returns until when the previous key works beside this one, or null if only this one works.
 * @param {Key | null | undefined} of @param {number} now Both times in Unix seconds.
 */
export function previousKeyEnd(of, now) {
  const end = of?.previous_key_ends_at_unix;
  return end && end > now ? end : null;
}

/**
 * Whether someone typed the hint of a key. Three dots do as well as the ellipsis, which few keyboards have.
 * @param {string} typed @param {string} hint
 */
export function isHint(typed, hint) {
  return typed.trim().replaceAll("...", "…") === hint;
}
