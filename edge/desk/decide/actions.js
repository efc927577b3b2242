// Which decisions are possible about a video, and for whom.

/** @typedef {import("../types").Action} Action */

/** A decision of a person can be taken back by `restore` this long. */
const RESTORE_SECONDS = 44 * 86_400;

/**
 * @typedef {object} Words
 * @property {Action} name
 * @property {string} key
 * @property {boolean} needsPolicy
 * @property {string} verb On the button.
 * @property {string} doing Before the video's name, while it can be undone.
 * @property {string} short The same in a row.
 * @property {string} done
 * @property {string} notDone Before the name of a video if the service refuses.
 * @property {string} note What colleagues read if the moderator writes nothing and there is no policy.
 */

/** @type {Words[]} In the order of their buttons. */
export const ACTIONS = [
  {
    name: "approve", key: "a", needsPolicy: false, verb: "Approve", doing: "Approving", short: "Approving",
    done: "Approved", notDone: "Not approved", note: "approved at the desk",
  },
  {
    name: "reject", key: "r", needsPolicy: true, verb: "Reject", doing: "Rejecting", short: "Rejecting",
    done: "Rejected", notDone: "Not rejected", note: "rejected at the desk",
  },
  {
    name: "take_down", key: "t", needsPolicy: true, verb: "Take down", doing: "Taking down", short: "Taking down",
    done: "Taken down", notDone: "Not taken down", note: "taken down at the desk",
  },
  {
    name: "dismiss", key: "d", needsPolicy: false, verb: "Dismiss flag", doing: "Dismissing the flag on",
    short: "Dismissing", done: "Flag dismissed", notDone: "Flag not dismissed", note: "flag dismissed at the desk",
  },
  {
    name: "restore", key: "o", needsPolicy: false, verb: "Restore", doing: "Restoring", short: "Restoring",
    done: "Restored", notDone: "Not restored", note: "restored at the desk",
  },
  {
    name: "reject_appeal", key: "e", needsPolicy: false, verb: "Reject appeal", doing: "Rejecting the appeal about",
    short: "Rejecting appeal", done: "Appeal rejected", notDone: "Appeal not rejected",
    note: "appeal rejected at the desk",
  },
];

/** @param {Action} name */
export const actionOf = (name) => /** @type {Words} */ (ACTIONS.find((action) => action.name === name));

/**
 * Returns the videos that a decision is about. About the open case, only a removal includes the other videos: what
 * becomes public has been looked at by itself.
 * @template {{ uuid: string }} Video
 * @param {Action} action @param {Video[]} videos @param {string} [caseUuid] The open case, if there is one.
 */
export function meantBy(action, videos, caseUuid) {
  if (caseUuid === undefined || actionOf(action).needsPolicy) return videos;
  return videos.filter(({ uuid }) => uuid === caseUuid);
}

/**
 * @typedef {{ state: string, waitsFor: string | null, isFlagged: boolean, isAppealed: boolean,
 *   removedAtUnix: number | null }} Subject `isAppealed`: an appeal waits for a decision.
 *   `removedAtUnix`: when a person rejected it or took it down, if that decision still holds.
 */

/** @param {import("../types").Case} of @returns {Subject} */
export function subjectOfCase({ content, flag, appeal, decisions }) {
  const last = decisions.find(({ action }) => ["approve", "reject", "take_down", "restore"].includes(action));
  const isRemoved = last?.action === "reject" || last?.action === "take_down";
  return {
    state: content.state, waitsFor: content.waits_for, isFlagged: flag !== null,
    isAppealed: appeal?.state === "pending", removedAtUnix: isRemoved ? last.decided_at_unix : null,
  };
}

/** @param {import("../queue/items.js").Item} item @returns {Subject} */
export function subjectOfItem({ state, waitsFor, flag, appeal, sinceUnix }) {
  // The list does not say when an appealed video was removed: not after the appeal.
  const removedAtUnix = appeal ? sinceUnix : null;
  return { state, waitsFor, isFlagged: flag !== null, isAppealed: appeal !== null, removedAtUnix };
}

/**
 * @param {Action} action @param {Subject} subject @param {number} now
 * @returns {boolean} Whether the service would make this decision about the video as it is now.
 */
export function isPossible(action, { state, waitsFor, isFlagged, isAppealed, removedAtUnix }, now) {
  const waits = state === "processing" && waitsFor !== null;
  const isKept = state === "deleted" && isFlagged;
  switch (action) {
    case "approve": return waits;
    case "reject": return waits || isKept;
    case "take_down": return state === "published" || state === "scheduled" || isKept;
    case "dismiss": return isFlagged;
    case "reject_appeal": return isAppealed;
    case "restore": {
      const isRemoved = state === "rejected" || state === "taken_down";
      return isRemoved && removedAtUnix !== null && now - removedAtUnix < RESTORE_SECONDS;
    }
  }
}

/** @param {Subject} subject @param {number} now */
export const actionsOf = (subject, now) => ACTIONS.filter(({ name }) => isPossible(name, subject, now));

/** @type {Record<string, string>} */
const STATES = {
  processing: "is being processed", scheduled: "is scheduled", published: "is published",
  rejected: "is already rejected", taken_down: "is already taken down", failed: "failed",
  deleted: "was deleted by its owner",
};

/** Says why a key does nothing here. @param {Action} action @param {Subject} subject */
export function whyNot(action, subject) {
  if (action === "dismiss") return "This video is not flagged.";
  if (action === "reject_appeal") return "No appeal about this video is pending.";
  if (action === "restore" && ["rejected", "taken_down"].includes(subject.state)) {
    return "Only a moderator's decision from the last 44 days can be reversed.";
  }
  const state = STATES[subject.state] ?? `is ${subject.state}`;
  const hint = action === "reject" && isPossible("take_down", subject, 0) ? " Take it down instead." : "";
  const back = action === "take_down" && isPossible("reject", subject, 0) ? " Reject it instead." : "";
  const isRemoval = action === "reject" || action === "take_down";
  const appeal = isRemoval && subject.isAppealed ? " To leave it that way, reject the appeal." : "";
  return `This video ${state}.${hint}${back}${appeal}`;
}
