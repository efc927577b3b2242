// The video: muted, not playing by itself, open at the moment that the findings are about.
import { useEffect, useRef } from "preact/hooks";
import { announce } from "../../pages/kit/announce.js";
import { Section } from "../../pages/kit/section.jsx";
import { useCommands } from "../keys/commands.js";
import { isVeiled, toggleVeil } from "../veil.js";
import { firstMoment } from "./findings.js";
import { languageName } from "./subtitles.js";

/** @typedef {{ jump: (seconds: number) => void }} Controls */

/** The length of a frame is not known. Most videos have 25 to 30 frames a second. */
const FRAME_SECONDS = 1 / 30;
/** An address that has just been read and does not work will not work a second later. */
const RENEW_AFTER_MS = 30_000;

/**
 * @param {{ data: import("../types").Case, time: import("@preact/signals").Signal<number>,
 *   controls: import("preact").RefObject<Controls | null>, onExpired: () => Promise<void> }} props
 */
export function Player({ data, time, controls, onExpired }) {
  const video = useRef(/** @type {HTMLVideoElement | null} */ (null));
  const renewedAt = useRef(0);
  const url = data.video_url;
  const jump = (/** @type {number} */ seconds) => {
    if (!video.current) return;
    video.current.currentTime = seconds;
    time.value = seconds;
    video.current.scrollIntoView({ block: "nearest" });
  };
  useEffect(() => {
    controls.current = { jump };
    return () => {
      controls.current = null;
    };
  }, []);
  const frame = (/** @type {1 | -1} */ by) => {
    if (!video.current) return;
    video.current.pause();
    video.current.currentTime = Math.max(0, video.current.currentTime + by * FRAME_SECONDS);
  };
  const play = () => {
    if (video.current?.paused) video.current.play().catch(() => {});
    else video.current?.pause();
  };
  const sound = () => {
    if (!video.current) return;
    video.current.muted = !video.current.muted;
    announce(video.current.muted ? "Sound off" : "Sound on");
  };
  useCommands(url ? { play, sound, "frame-back": () => frame(-1), "frame-forward": () => frame(1) } : {});
  const loaded = () => {
    // After a new address too, the video goes on where it was.
    if (video.current) video.current.currentTime = renewedAt.current ? time.peek() : firstMoment(data.findings);
  };
  const failed = () => {
    if (Date.now() - renewedAt.current < RENEW_AFTER_MS) return;
    renewedAt.current = Date.now();
    onExpired();
  };
  return (
    <Section title="Video">
      {url ? (
        <>
          <div class="screen">
            <video key={url} ref={video} class="veil" src={url} controls muted playsInline preload="metadata" aria-label="Video"
              onLoadedMetadata={loaded} onError={failed}
              onTimeUpdate={(event) => (time.value = event.currentTarget.currentTime)}>
              {data.subtitles.map((track) => (
                <track key={track.language} kind="subtitles" src={track.url} srclang={track.language} label={languageName(track.language)} />
              ))}
            </video>
          </div>
          <VeilSwitch />
        </>
      ) : <p class="dim">The video's file is not stored any more.</p>}
    </Section>
  );
}

/** One switch for all pictures of the desk. */
export function VeilSwitch() {
  return (
    <label class="check">
      <input type="checkbox" checked={isVeiled.value} onChange={toggleVeil} aria-keyshortcuts="b" />
      <span>Blurred and grey <kbd aria-hidden="true">b</kbd></span>
    </label>
  );
}
