// The upload of this page. It continues while the user looks at other pages of the console.
import { computed, signal } from "@preact/signals";
import { failureFrom, online, post, settings } from "../api.js";
import { failureOfNetwork, failureOfResponse } from "../../pages/kit/failures.js";
import { remember, remembered } from "../../pages/kit/store.js";
import { createMeter, timeLeft } from "./meter.js";

/** @typedef {import("../../pages/kit/failures.js").Failure} Failure */
/**
 * @typedef {"starting" | "sending" | "reconnecting" | "checking" | "paused" | "interrupted" | "refused" | "sent"} Phase
 *   `interrupted`: the connection failed, and everything that has arrived is kept. `refused`: the service has decided.
 * @typedef {{ phase: Phase, name: string, sent: number, total: number, rate: number | null, failure: Failure | null,
 *   uuid: string | null }} Transfer
 * @typedef {{ name: string, size: number, modified: number, url: string, caption: string, sent: number }} Unfinished
 */

/** The upload in progress, or the last one until another begins. */
export const transfer = signal(/** @type {Transfer | null} */ (null));
/** Whether leaving the page would interrupt an upload. */
export const isUploading = computed(() =>
  ["starting", "sending", "reconnecting", "checking", "paused", "interrupted"].includes(transfer.value?.phase ?? ""));
/** An upload that an earlier page did not finish. Its file has to be chosen again. */
export const unfinished = signal(readUnfinished());

const CHUNK_BYTES = 40 * 1024 * 1024;
const RETRY_MS = [0, 1000, 3000, 5000, 10_000];
/** The upload is begun at once: its token need not last. */
const TOKEN_SECONDS = 300;

const meter = createMeter();
/** @type {import("tus-js-client").Upload | null} */
let upload = null;
/** Counts the uploads, so that one that was cancelled before it began does not begin. */
let attempt = 0;

/**
 * Sends a file. @param {File} file @param {Record<string, string>} fields By their names in the API.
 */
export async function begin(file, fields) {
  const own = start(file);
  try {
    const [made, tus] = await Promise.all([
      post("/developer/direct_uploads", { allowed_origin: location.origin, expires_in_seconds: TOKEN_SECONDS, fields }),
      import("tus-js-client"),
    ]);
    if (own !== attempt) return;
    run(tus, file, fields.caption ?? "", {
      endpoint: made.tus_endpoint, headers: { Authorization: `Bearer ${made.token}` },
    });
  } catch (error) {
    // A script that cannot be loaded is a TypeError, and says the same as a request without a response.
    if (own === attempt) fail(error instanceof TypeError ? failureOfNetwork(online.peek()) : failureFrom(error));
  }
}

/** Continues the upload of an earlier page. @param {File} file @param {Unfinished} earlier */
export async function continueUnfinished(file, earlier) {
  const own = start(file);
  try {
    const tus = await import("tus-js-client");
    if (own === attempt) run(tus, file, earlier.caption, { uploadUrl: earlier.url });
  } catch {
    if (own === attempt) fail(failureOfNetwork(online.peek()));
  }
}

/** @param {File} file */
function start(file) {
  upload = null;
  update({ phase: "starting", name: file.name, sent: 0, total: file.size, rate: null, failure: null, uuid: null });
  return (attempt += 1);
}

/**
 * @param {typeof import("tus-js-client")} tus @param {File} file @param {string} caption
 * @param {Partial<ConstructorParameters<typeof import("tus-js-client").Upload>[1]>} target
 */
function run(tus, file, caption, target) {
  meter.reset();
  const own = (upload = new tus.Upload(file, {
    ...target,
    chunkSize: CHUNK_BYTES,
    retryDelays: RETRY_MS,
    storeFingerprintForResuming: false,
    onShouldRetry: (error) => {
      const isTemporary = canRetry(error.originalResponse?.getStatus() ?? 0);
      meter.reset();
      if (isTemporary) update({ phase: "reconnecting", rate: null });
      return isTemporary;
    },
    onUploadUrlAvailable: () => keep({
      name: file.name, size: file.size, modified: file.lastModified, url: own.url ?? "", caption, sent: 0,
    }),
    onProgress: (sent, total) => {
      if (transfer.peek()?.phase === "paused") return;
      meter.add(performance.now(), sent);
      update({ phase: sent < total ? "sending" : "checking", sent, rate: meter.rate() });
    },
    onChunkComplete: (_, sent) => unfinished.peek() && keep({ .../** @type {Unfinished} */ (unfinished.peek()), sent }),
    onError: async (error) => {
      const failure = await explain(/** @type {any} */ (error), own.url);
      if (upload === own) fail(failure);
    },
    onSuccess: ({ lastResponse }) => {
      keep(null);
      update({ phase: "sent", sent: file.size, uuid: lastResponse.getHeader("Clipgate-Content-Uuid") ?? null });
    },
  }));
  own.start();
}

/** @param {number} status */
function canRetry(status) {
  return status === 0 || status === 408 || status === 409 || status >= 500;
}

/** @param {Failure} failure */
function fail(failure) {
  const canContinue = upload?.url && canRetry(failure.status);
  if (!canContinue) keep(null);
  update({ phase: canContinue ? "interrupted" : "refused", rate: null, failure });
}

/**
 * Returns what is wrong. A response without a body, as to HEAD, has only the code: the upload's own address has the
 * rest.
 * @param {import("tus-js-client").DetailedError} error @param {string | null} url
 */
async function explain(error, url) {
  const response = error.originalResponse;
  if (!response?.getStatus()) return failureOfNetwork(online.peek());
  let body = parse(response.getBody());
  if (!body?.detail && url) body = await fetch(url).then((told) => told.json()).catch(() => body);
  body ??= { error_message_code: response.getHeader("Clipgate-Error-Code") ?? null };
  const header = (/** @type {string} */ name) => response.getHeader(name) ?? null;
  return failureOfResponse(response.getStatus(), header, body, settings.peek()?.site_url);
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export async function pause() {
  update({ phase: "paused", rate: null });
  await upload?.abort();
}

/** Continues after a pause or a broken connection. */
export function resume() {
  meter.reset();
  update({ phase: "sending", failure: null });
  upload?.start();
}

/** Ends the upload, and deletes what has arrived. */
export async function cancel() {
  const ended = upload;
  forget();
  keep(null);
  // If this fails, the service deletes the rest by itself after a day.
  await ended?.abort(true).catch(() => {});
}

/** Makes room for another upload. */
export function forget() {
  attempt += 1;
  upload = null;
  transfer.value = null;
}

/** The seconds that are left, or null. @param {Transfer} of */
export const secondsLeft = (of) => timeLeft(of.rate, of.total - of.sent);

/** @param {Partial<Transfer>} change */
function update(change) {
  transfer.value = { .../** @type {Transfer} */ (transfer.peek()), ...change };
}

/** @param {Unfinished | null} record */
export function keep(record) {
  remember("unfinished-upload", record && JSON.stringify(record));
  unfinished.value = record;
}

/** @returns {Unfinished | null} */
function readUnfinished() {
  return parse(remembered("unfinished-upload") ?? "null");
}

/**
 * Whether a chosen file is the one of an unfinished upload.
 * @param {{ name: string, size: number, lastModified: number }} file @param {Unfinished | null} earlier
 */
export function isSameFile(file, earlier) {
  if (earlier === null) return false;
  return file.name === earlier.name && file.size === earlier.size && file.lastModified === earlier.modified;
}

globalThis.addEventListener?.("online", () => transfer.peek()?.phase === "interrupted" && resume());
globalThis.addEventListener?.("beforeunload", (event) => isUploading.peek() && event.preventDefault());
