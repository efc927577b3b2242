// What becomes of the video after it has arrived.
import { useEffect } from "preact/hooks";
import { get, settings } from "../api.js";
import { announce } from "../../pages/kit/announce.js";
import { Button } from "../../pages/kit/button.jsx";
import { CopyButton } from "../../pages/kit/copy.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { titleOf } from "../../pages/kit/format.js";
import { useLoad } from "../../pages/kit/load.js";
import { Progress } from "../../pages/kit/progress.jsx";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { State } from "../../pages/kit/state.jsx";
import { describeState } from "../../pages/kit/states.js";
import { whoCanWatch } from "../uploads/labels.js";
import { chosen, clearDraft } from "./draft.js";
import { forget } from "./transfer.js";

/** @typedef {import("../../pages/openapi").components["schemas"]["ContentStatus"]} Video */

const LONGEST_PAUSE_SECONDS = 10;

/** @param {{ uuid: string }} props */
export function Sent({ uuid }) {
  const read = (/** @type {AbortSignal} */ signal) => get("/developer/upload_status", { content_uuid: uuid }, signal);
  const { data, failure, reload } = useLoad(read, uuid);
  /** @type {Video | null} */
  const video = data;
  useEffect(() => {
    const seconds = failure ? failure.retryAfter ?? LONGEST_PAUSE_SECONDS : video?.check_after_seconds;
    if (seconds == null) return;
    const timer = setTimeout(reload, Math.min(seconds, LONGEST_PAUSE_SECONDS) * 1000);
    return () => clearTimeout(timer);
  }, [data, failure]);
  const word = video && describeState(video).word;
  useEffect(() => {
    if (word) announce(word);
  }, [word]);
  const again = () => {
    forget();
    clearDraft();
  };
  if (failure && !video) {
    return (
      <section class="sending" aria-label="Your video">
        <h2>Your video was uploaded</h2>
        <p class="words">Its status is not available right now.</p>
        <FailureNote failure={failure} onRetry={reload} />
      </section>
    );
  }
  if (!video) return <Skeleton height="14rem" />;
  return (
    <section class="sent" aria-label="Your video">
      <span class="picture"><Picture video={video} /></span>
      <div class="stack">
        <h2 class="words" dir="auto">{titleOf(video.caption)}</h2>
        <State video={video} />
        {video.state === "processing" && video.stage !== "moderate" && (
          <Progress value={video.progress_percent} most={100} label="Processed" text={progressText(video)} />
        )}
        <p class="words">{meaning(video)}</p>
        {video.error_message_code && (
          <p class="note">
            <a href={`${settings.value?.site_url}/docs/errors/${video.error_message_code}`} target="_blank">
              <code>{video.error_message_code}</code>
            </a>
          </p>
        )}
        {video.urls && <a class="link" href={video.urls.page} target="_blank">{video.urls.page}</a>}
        <div class="row">
          {video.urls && <CopyButton kind="main" text={video.urls.page} label="Copy link" />}
          <Button href={`/console/uploads/${uuid}`}>Open in Uploads</Button>
          <Button kind="quiet" onClick={again}>Upload another</Button>
        </div>
      </div>
    </section>
  );
}

/** The thumbnail; before there is one, the chosen file. @param {{ video: Video }} props */
function Picture({ video }) {
  const thumbnail = video.thumbnails.at(-1);
  if (thumbnail) return <img src={thumbnail.url} alt="" />;
  if (!chosen.value?.media) return null;
  return <video src={chosen.value.url} muted playsInline preload="metadata" tabindex={-1} aria-hidden="true" />;
}

/** @param {Video} video */
function meaning(video) {
  if (video.detail) return video.detail;
  if (video.state === "processing") return "Your video was uploaded. It is now processed and checked, then published.";
  if (video.state === "published") return `${whoCanWatch(video)}.`;
  if (video.state === "scheduled") return "Your video is ready. It will be published at the scheduled time.";
  return "";
}

/** "40%, about 12 seconds left". @param {Video} video */
function progressText({ progress_percent: percent, eta_seconds: seconds }) {
  return seconds ? `${percent}%, about ${seconds} ${seconds === 1 ? "second" : "seconds"} left` : `${percent}%`;
}
