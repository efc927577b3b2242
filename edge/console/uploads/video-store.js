// One video as its page holds it: its status, kept up to date, and what its owner does to it.

import { signal } from "@preact/signals";
import { statusPause } from "../../pages/kit/pause.js";
import { conflictText } from "./video-rules.js";

/** @typedef {import("./video-rules.js").Video} Video */
/** @typedef {import("../../pages/kit/failures.js").Failure} Failure */
/** @typedef {Partial<import("./edit.js").Form>} Edits */

/**
 * @typedef {object} Service
 * @property {import("./list-store.js").Ask} ask
 * @property {(error: unknown) => Failure} failureFrom What the page shows for an error.
 * @property {(video: Video) => void} onStatus Called with each new status.
 */

/** The codes of conflicts that are not about the state, and say themselves what they are about. */
const SELF_EXPLAINING = ["appeal_not_possible", "content_label_locked"];

/** Edits that were not saved, by video: they are still there on the way back from another page. */
const drafts = /** @type {Map<string, Edits>} */ (new Map());

/**
 * @param {string} uuid
 * @param {Service} service
 * @param {Video | null} [known] What the list knows of it already.
 */
export function createVideoStore(uuid, { ask, failureFrom, onStatus }, known = null) {
  const video = signal(known);
  const failure = signal(/** @type {Failure | null} */ (null));
  const edits = signal(/** @type {Edits} */ (drafts.get(uuid) ?? {}));
  /** @type {string | null} */
  let tag = null;
  let pause = 0;

  /** Reads the status, and returns the seconds until it is worth reading again, or null. */
  async function load() {
    try {
      const { body, etag } = await ask(`upload_status?content_uuid=${uuid}`, { etag: tag });
      tag = etag ?? tag;
      if (body) put(body);
      failure.value = null;
      const next = statusPause(pause, { hasChanged: body !== null, advice: video.value?.check_after_seconds ?? null });
      pause = next ?? 0;
      return next;
    } catch (error) {
      failure.value = failureFrom(error);
      pause = Math.max(pause * 2, 5);
      return failure.value.status === 404 ? null : Math.min(pause, 60);
    }
  }

  /** @param {Video} next */
  function put(next) {
    video.value = next;
    onStatus(next);
  }

  /**
   * Does something to the video. Returns what failed, or null.
   * @param {() => Promise<any>} send
   * @returns {Promise<Failure | null>}
   */
  async function act(send) {
    try {
      const answer = await send();
      // Some responses contain the whole status, others only the new state.
      if ("slug_url" in answer) put(answer);
      else await load();
      return null;
    } catch (error) {
      const failed = failureFrom(error);
      if (failed.status !== 409) return failed;
      await load();
      if (SELF_EXPLAINING.includes(failed.code ?? "")) return failed;
      return video.value ? { ...failed, what: conflictText(video.value), next: null } : failed;
    }
  }

  /**
   * Changes fields of the form, which is not saved yet.
   * @param {Edits} change
   */
  function edit(change) {
    edits.value = { ...edits.value, ...change };
    drafts.set(uuid, edits.value);
  }

  function undo() {
    edits.value = {};
    drafts.delete(uuid);
  }

  return { uuid, video, failure, edits, load, act, edit, undo };
}

/** @typedef {ReturnType<typeof createVideoStore>} VideoStore */
