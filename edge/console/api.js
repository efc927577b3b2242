// Requests to the service with the session of the page, and what the console knows about session and connection.
import { signal } from "@preact/signals";
import { failureOfNetwork, failureOfResponse } from "./kit/failures.js";

/** @typedef {{ base_url: string, upload_url: string, site_url: string, sign_in_url: string | null }} Settings */
/** @typedef {import("./kit/failures.js").Failure} Failure */

/** The addresses of this service; null until they have been read. */
export const settings = signal(/** @type {Settings | null} */ (null));
/** Whether the last response said that nobody is signed in. */
export const signedOut = signal(false);
/** Whether any response of this page was for a signed-in user. */
export const wasSignedIn = signal(false);
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
 * Reads from the API: `get("/developer/uploads", { state: "published" })`. Parameters without a value are omitted.
 * @param {string} path
 * @param {Record<string, string | number | null | undefined>} [parameters]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function get(path, parameters = {}, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value != null && value !== "") query.set(name, String(value));
  }
  return request(`${path}${query.size ? `?${query}` : ""}`, { signal });
}

/**
 * Changes something by JSON: `post("/developer/delete_content", { content_uuid })`.
 * @param {string} path @param {object} [body]
 * @returns {Promise<any>}
 */
export function post(path, body = {}) {
  return request(path, {
    method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" },
  });
}

/**
 * Ends something: `remove("/developer/direct_uploads/…")`.
 * @param {string} path
 * @returns {Promise<any>}
 */
export function remove(path) {
  return request(path, { method: "DELETE" });
}

/**
 * Changes something by a form with files.
 * @param {string} path @param {FormData} form
 * @returns {Promise<any>}
 */
export function postForm(path, form) {
  return request(path, { method: "POST", body: form });
}

/** @param {string} path @param {RequestInit} options */
async function request(path, options) {
  const body = await fetchJson(`/api/php${path}`, options);
  wasSignedIn.value = true;
  return body;
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
 * Reads from the API unless the response is still the one with this tag: then the body is null.
 * @param {string} path @param {{ etag?: string | null }} [options]
 */
export function getTagged(path, { etag } = {}) {
  return fetchTagged(`/api/php${path}`, { headers: etag ? { "If-None-Match": etag } : {} });
}

/**
 * @param {string} address @param {RequestInit} options
 * @returns {Promise<{ body: any, etag: string | null }>}
 */
async function fetchTagged(address, options) {
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
  const header = (/** @type {string} */ name) => response.headers.get(name);
  const failure = failureOfResponse(response.status, header, body, settings.peek()?.site_url);
  if (failure.kind === "signed_out") signedOut.value = true;
  throw new RequestFailed(failure);
}

/** The address that signs the user in and leads back to this page; null if the site has none. */
export function signInAddress() {
  const address = settings.value?.sign_in_url;
  return address ? `${address}?return_to=${encodeURIComponent(location.href)}` : null;
}

/** Asks whether the user is signed in again. */
export async function checkSession() {
  try {
    await get("/developer/upload_limits");
    signedOut.value = false;
  } catch (error) {
    if (error instanceof RequestFailed && error.failure.kind === "request") signedOut.value = false;
  }
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
