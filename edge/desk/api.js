// Requests of the desk, and who is signed in.
import { signal } from "@preact/signals";
import { failureFrom, fetchJson, jsonBody, signedOut, withQuery } from "../pages/kit/requests.js";

export { failureFrom, online, RequestFailed, signedOut } from "../pages/kit/requests.js";

/** @typedef {import("./types").Person} Person */

/** Who is signed in; null before that. It stays when the session ends while the page is open. */
export const person = signal(/** @type {Person | null} */ (null));
export const counts = signal(/** @type {import("./types").Counts | null} */ (null));

/** @param {string} role */
export const may = (role) => person.value?.roles.includes(role) ?? false;

/**
 * @param {string} path Below `/internal`.
 * @param {Record<string, string | number | null | undefined>} [parameters]
 * @param {AbortSignal} [abort]
 * @returns {Promise<any>}
 */
export const get = (path, parameters = {}, abort) =>
  fetchJson(withQuery(`/internal${path}`, parameters), { signal: abort });

/**
 * @param {string} path @param {object} body
 * @param {{ isLeaving?: boolean }} [how] `isLeaving`: the request outlives the page.
 * @returns {Promise<any>}
 */
export const post = (path, body, { isLeaving = false } = {}) =>
  fetchJson(`/internal${path}`, { ...jsonBody(body), keepalive: isLeaving });

/** @param {string} path @param {object} body @returns {Promise<any>} */
export const del = (path, body) => fetchJson(`/internal${path}`, { ...jsonBody(body), method: "DELETE" });

/** @param {any} body */
function take({ name, roles, ends_at_unix, rest_after }) {
  const read = { name, roles, ends_at_unix, rest_after: rest_after ?? null };
  if (JSON.stringify(read) !== JSON.stringify(person.peek())) person.value = read;
  signedOut.value = false;
}

/** Reads who is signed in, and how much there is to do. */
export async function readPerson() {
  const body = await get("/desk");
  take(body);
  counts.value = body;
}

/**
 * Exchanges a token for a session. The token goes into this one request and is kept nowhere.
 * @param {string} token
 * @param {() => void} onOtherPerson Called instead if the page was another person's before.
 */
export async function signIn(token, onOtherPerson) {
  const { headers, ...options } = jsonBody({});
  const authorized = { ...headers, Authorization: `Bearer ${token}` };
  const body = await fetchJson("/internal/desk/sign_in", { ...options, headers: authorized });
  const before = person.peek()?.name;
  if (before !== undefined && before !== body.name) return onOtherPerson();
  take(body);
  await readPerson().catch(failureFrom);
}

export const signOut = () => post("/desk/sign_out", {});
