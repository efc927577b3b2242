// The failed requests as the page holds them. They outlive the page's views.

import { signal } from "@preact/signals";
import { failureFrom, getTagged } from "../api.js";
import { nextPause } from "../../pages/kit/pause.js";

/** @typedef {import("./counts.js").Report} Report */
/** @typedef {import("../../pages/kit/failures.js").Failure} Failure */

/**
 * @param {(options: { etag: string | null }) => Promise<{ body: any, etag: string | null }>} ask
 * @param {(error: unknown) => Failure} failureFrom What the page shows for an error.
 */
export function createReportStore(ask, failureFrom) {
  const report = signal(/** @type {Report | null} */ (null));
  const failure = signal(/** @type {Failure | null} */ (null));
  /** @type {string | null} */
  let tag = null;
  let text = "";
  let pause = 0;

  /** Asks for news, and returns the seconds until it is worth asking again. */
  async function refresh() {
    try {
      const { body, etag } = await ask({ etag: tag });
      tag = etag;
      failure.value = null;
      pause = nextPause(pause, { hasChanged: body !== null && put(body) });
    } catch (error) {
      failure.value = failureFrom(error);
      pause = nextPause(pause, { hasChanged: false, retryAfter: failure.value.retryAfter ?? 0 });
    }
    return pause;
  }

  /** Returns whether the report differs from the last one. @param {Report} next */
  function put(next) {
    const before = text;
    text = JSON.stringify(next);
    if (text !== before) report.value = next;
    return text !== before;
  }

  return { report, failure, refresh };
}

export const failedRequests = createReportStore(
  (options) => getTagged("/developer/failed_requests", options), failureFrom,
);
