import { Progress } from "../../pages/kit/progress.jsx";
import { Blur } from "./picture.jsx";
import { pictureUrl } from "./storyboard.js";
import { waitingFor } from "./video-rules.js";

/** @typedef {import("./video-rules.js").Video} Video */

/** The video itself, or its picture until it can be watched. @param {{ video: Video }} props */
export function Stage({ video }) {
  if (!["processing", "scheduled", "published"].includes(video.state)) return null;
  const shape = video.width && video.height ? `${video.width} / ${video.height}` : "16 / 9";
  return (
    <>
      <div class="screen" style={{ "--shape": shape }}>
        {video.urls ? <Player video={video} urls={video.urls} /> : <Still video={video} />}
      </div>
      <Waiting video={video} />
    </>
  );
}

/** @param {{ video: Video, urls: NonNullable<Video["urls"]> }} props */
function Player({ video, urls }) {
  // Tracks of another host are loaded only for a video that asks with CORS. The console's own host needs its cookie.
  const isElsewhere = new URL(urls.video, location.href).origin !== location.origin;
  return (
    <video key={urls.video} controls playsInline preload="metadata" poster={urls.poster} src={urls.video}
      crossOrigin={isElsewhere ? "anonymous" : undefined} aria-label="Player">
      {(video.subtitles ?? []).map((track) => track.url && (
        <track key={track.url} kind="subtitles" src={track.url} srclang={track.language ?? "und"} label={track.label}
          default={track.is_default} />
      ))}
    </video>
  );
}

/** @param {{ video: Video }} props */
function Still({ video }) {
  const poster = pictureUrl(video, "poster");
  return (
    <>
      {video.thumbhash && <Blur hash={video.thumbhash} />}
      {poster && <img key={poster} src={poster} alt="" onError={(event) => (event.currentTarget.hidden = true)} />}
      {!poster && <p>A picture appears here once processing has started.</p>}
    </>
  );
}

/** @param {{ video: Video }} props */
function Waiting({ video }) {
  const text = waitingFor(video);
  if (video.state !== "processing" || !text) return null;
  const percent = video.progress_percent;
  return (
    <div class="waiting">
      {percent < 100 && <Progress value={percent} most={100} label="Processing" text={`${percent} percent`} />}
      <p class="dim">{text}</p>
    </div>
  );
}
