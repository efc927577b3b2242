import { settings } from "../api.js";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { adviceFor } from "./advice.js";

/** @typedef {import("./video-rules.js").Video} Video */

/** Why a video was rejected, removed or failed, and what to do. @param {{ video: Video }} props */
export function Why({ video }) {
  const code = video.error_message_code;
  if (video.state === "deleted") return <p class="read">{video.detail ?? "The video was deleted."}</p>;
  if (!["rejected", "failed", "taken_down"].includes(video.state)) return null;
  const advice = adviceFor(video);
  const failure = {
    kind: /** @type {const} */ ("request"), what: video.detail ?? "No reason was given.", next: advice.text,
    code, docs: code && `${settings.value?.site_url ?? ""}/docs/errors/${code}`, field: null, retryAfter: null,
    requestId: null, status: 0,
  };
  return (
    <div class="why">
      <FailureNote failure={failure} />
      {advice.canUploadAgain && <Button kind="main" href="/console/upload">Upload again</Button>}
    </div>
  );
}
