// A recorded decision in words.

/** @type {Record<string, string>} */
const DONE = {
  approve: "Approved", reject: "Rejected", take_down: "Taken down", restore: "Restored", dismiss: "Flag dismissed",
  reject_appeal: "Appeal rejected", label: "Labels changed",
  block_hash: "Picture blocked", unblock_hash: "Picture unblocked",
};
/** @type {Record<string, "ok" | "bad" | "none">} */
const TONES = { approve: "ok", restore: "ok", reject: "bad", take_down: "bad", block_hash: "bad" };

/** @param {string} action @returns {{ word: string, tone: "ok" | "bad" | "none" }} */
export function describeDecision(action) {
  // The service may add actions. An unknown one is shown by its name in the API.
  return { word: DONE[action] ?? action.replaceAll("_", " "), tone: TONES[action] ?? "none" };
}
