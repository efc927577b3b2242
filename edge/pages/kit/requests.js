// Requests to the service with the session of the page, and what a page knows about session and connection.
import { signal } from "@preact/signals";
import { failureOfNetwork, failureOfResponse } from "./failures.js";

/** @typedef {import("./failures.js").Failure} Failure */

/** The site's address, for links to the documentation; null if the page has none. */
export const siteUrl = signal(/** @type {string | null} */ (null));
/** Whether the last response said that nobody is signed in. */
export const signedOut = signal(false);
/** Whether the browser has a network. */
export const online = signal(globalThis.navigator?.onLine ?? true);
globalThis.addEventListener?.("online", () => (online.value = true));
globalThis.addEventListener?.("offline", () => (online.value = false));

/** A request that failed; `failure` is what a page shows. */
export class RequestFailed extends Error {
  /** @param {Failure} failure */
  constructor(failure) {
    super(failure.what);
    this.failure = failure;
  }
}

/**
 * Adds parameters to a path. Parameters without a value are omitted.
 * @param {string} path
 * @param {Record<string, string | number | null | undefined>} parameters
 */
export function withQuery(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value != null && value !== "") query.set(name, String(value));
  }
  return `${path}${query.size ? `?${query}` : ""}`;
}

/**
 * The options of a request that sends JSON.
 * @param {object} body
 * @returns {RequestInit}
 */
export function jsonBody(body) {
  return { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
}

/**
 * Returns the JSON of a response, or throws `RequestFailed`.
 * @param {string} address @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
export async function fetchJson(address, options = {}) {
  return (await fetchTagged(address, options)).body;
}

/**
 * Returns the JSON of a response and its tag. If nothing has changed since the tag of the request, the body is null.
 * @param {string} address @param {RequestInit} options
 * @returns {Promise<{ body: any, etag: string | null }>}
 */
export async function fetchTagged(address, options) {
  let response, body;
  try {
    response = await fetch(address, { credentials: "same-origin", ...options });
    body = await response.json().catch(() => null);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new RequestFailed(failureOfNetwork(online.peek()));
  }
  const etag = response.headers.get("ETag");
  if (response.status === 304) return { body: null, etag };
  if (response.ok && body) return { body, etag };
  throw rejected(response, body);
}

/**
 * Yields the text of a response while it arrives, or throws `RequestFailed`. An aborted request throws its own error.
 * @param {string} address @param {AbortSignal} abort
 */
export async function* fetchText(address, abort) {
  try {
    const response = await fetch(address, { credentials: "same-origin", signal: abort });
    if (!response.ok || !response.body) throw rejected(response, await response.json().catch(() => null));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } catch (error) {
    if (error instanceof RequestFailed || abort.aborted) throw error;
    throw new RequestFailed(failureOfNetwork(online.peek()));
  }
}

/** @param {Response} response @param {any} body */
function rejected(response, body) {
  const header = (/** @type {string} */ name) => response.headers.get(name);
  const failure = failureOfResponse(response.status, header, body, siteUrl.peek());
  if (failure.kind === "signed_out") signedOut.value = true;
  return new RequestFailed(failure);
}

/**
 * Returns what a page shows for a failed request, and throws any other error on.
 * @param {unknown} error
 * @returns {Failure}
 */
export function failureFrom(error) {
  if (error instanceof RequestFailed) return error.failure;
  throw error;
}
