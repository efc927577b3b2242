// The word and the tone of a video's state.

/** @typedef {{ state: string, stage?: string | null, progress_percent?: number, needs_release?: boolean,
 *   scheduled_publish_at_unix?: number | null, error_message_code?: string | null }} Video */

/** @type {Record<string, string>} */
const STAGES = {
  queued: "Waiting to start", download: "Getting the file", inspect: "Checking the file", transcode: "Processing",
  moderate: "Checking", store: "Publishing",
};

/**
 * @param {Video} video
 * @returns {{ word: string, tone: "work" | "wait" | "ok" | "bad" | "none", percent: number | null, at: number | null }}
 */
export function describeState(video) {
  const plain = { percent: null, at: null };
  switch (video.state) {
    case "processing": {
      // The service's own work is done, and a moderator has to decide.
      const percent = video.progress_percent ?? 0;
      if (video.stage === "moderate" && percent === 100) return { word: "In review", tone: "wait", ...plain };
      const word = STAGES[video.stage ?? "queued"] ?? "Processing";
      return { word, tone: "work", percent: percent || null, at: null };
    }
    case "scheduled":
      if (video.needs_release) return { word: "Needs release", tone: "wait", ...plain };
      return { word: "Scheduled", tone: "wait", percent: null, at: video.scheduled_publish_at_unix ?? null };
    case "published": return { word: "Published", tone: "ok", ...plain };
    case "rejected": return { word: "Rejected", tone: "bad", ...plain };
    case "failed": return { word: "Failed", tone: "bad", ...plain };
    case "taken_down": return { word: "Removed", tone: "bad", ...plain };
    case "deleted": return { word: "Deleted", tone: "none", ...plain };
    // States may be added: an unknown one is shown by its own name.
    default: return { word: video.state.replaceAll("_", " "), tone: "none", ...plain };
  }
}
