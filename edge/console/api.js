// Requests to the API with the session of the page, and the addresses of this service.
import { signal } from "@preact/signals";
import { fetchJson, fetchTagged, jsonBody, RequestFailed, signedOut, siteUrl, withQuery } from "../pages/kit/requests.js";

export { failureFrom, online, RequestFailed, signedOut } from "../pages/kit/requests.js";

/** @typedef {{ base_url: string, upload_url: string, site_url: string, sign_in_url: string | null }} Settings */
/** @typedef {import("../pages/kit/failures.js").Failure} Failure */

/** The addresses of this service; null until they have been read. */
export const settings = signal(/** @type {Settings | null} */ (null));
/** Whether any response of this page was for a signed-in user. */
export const wasSignedIn = signal(false);

/** Reads the addresses of this service. */
export async function readSettings() {
  settings.value = await fetchJson("/console/settings.json").catch(() => null);
  siteUrl.value = settings.value?.site_url ?? "";
}

/**
 * Reads from the API: `get("/developer/uploads", { state: "published" })`. Parameters without a value are omitted.
 * @param {string} path
 * @param {Record<string, string | number | null | undefined>} [parameters]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function get(path, parameters = {}, signal) {
  return request(withQuery(path, parameters), { signal });
}

/**
 * Changes something by JSON: `post("/developer/delete_content", { content_uuid })`.
 * @param {string} path @param {object} [body]
 * @returns {Promise<any>}
 */
export function post(path, body = {}) {
  return request(path, jsonBody(body));
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
 * Reads from the API unless the response is still the one with this tag: then the body is null.
 * @param {string} path @param {{ etag?: string | null }} [options]
 */
export function getTagged(path, { etag } = {}) {
  return fetchTagged(`/api/php${path}`, { headers: etag ? { "If-None-Match": etag } : {} });
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
