// Turns every failed request into what a page shows: what happened, what to do, and whether to try again.

/**
 * @typedef {{
 *   kind: "offline" | "unreachable" | "signed_out" | "limited" | "server" | "request",
 *   what: string, next: string | null, code: string | null, docs: string | null, field: string | null,
 *   retryAfter: number | null, requestId: string | null, status: number,
 * }} Failure
 */

/** The codes of a session that has ended: the console's and the desk's. */
const SIGNED_OUT = ["session_required", "admin_token_invalid"];

const NONE = { next: null, code: null, docs: null, field: null, retryAfter: null, requestId: null, status: 0 };

/** @param {boolean} online @returns {Failure} For a request without a response. */
export function failureOfNetwork(online) {
  if (!online) return { ...NONE, kind: "offline", what: "You are offline.", next: "Try again when you are connected." };
  const next = "Check your connection, then try again.";
  return { ...NONE, kind: "unreachable", what: "The service cannot be reached.", next };
}

/**
 * @param {number} status
 * @param {(name: string) => string | null} header
 * @param {any} body The JSON of the response, or null.
 * @param {string | null} [siteUrl] Where the documentation is; null for no links to it.
 * @returns {Failure}
 */
export function failureOfResponse(status, header, body, siteUrl = "") {
  const code = body?.error_message_code ?? null;
  const retryAfter = Number(header("Retry-After")) || null;
  const known = { code, field: body?.field ?? null, requestId: header("x-request-id"), status, retryAfter,
    docs: code && siteUrl !== null ? body?.docs_url ?? `${siteUrl}/docs/errors/${code}` : null };
  if (SIGNED_OUT.includes(code)) {
    return { ...known, docs: null, kind: "signed_out", what: "You are signed out.", next: "Sign in, then try again." };
  }
  const what = body?.detail;
  if (status === 429) {
    return { ...known, kind: "limited", what: what ?? "There were too many requests.",
      next: what ? null : `Try again in ${retryAfter ?? 10} seconds.` };
  }
  if (status >= 500 || !code) {
    return { ...known, kind: "server", what: what ?? "The service is not available.",
      next: what ? null : "Try again in a moment." };
  }
  return { ...known, kind: "request", what: what ?? "The service rejected this request.",
    next: what ? null : "See the error code for the reason." };
}
