// The video: muted, not playing by itself, open at the moment that the findings are about.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { Section } from "../../pages/kit/section.jsx";
import { may } from "../api.js";
import { useCommands } from "../keys/commands.js";
import { isVeiled, toggleVeil } from "../veil.js";
import { BlockFrame } from "./block-frame.jsx";
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
  const isPlaying = useSignal(false);
  const isMuted = useSignal(true);
  const isBroken = useSignal(false);
  const url = data.video_url;
  const seek = (/** @type {number} */ seconds) => {
    if (!video.current) return;
    video.current.currentTime = Math.max(0, seconds);
    time.value = video.current.currentTime;
  };
  useEffect(() => {
    controls.current = {
      jump: (seconds) => {
        seek(seconds);
        video.current?.scrollIntoView({ block: "nearest" });
      },
    };
    return () => {
      controls.current = null;
    };
  }, []);
  const frame = (/** @type {1 | -1} */ by) => {
    video.current?.pause();
    seek((video.current?.currentTime ?? 0) + by * FRAME_SECONDS);
  };
  const pause = () => {
    video.current?.pause();
    return video.current?.currentTime ?? time.peek();
  };
  const play = () => {
    if (video.current?.paused) video.current.play().catch(() => {});
    else video.current?.pause();
  };
  const sound = () => {
    if (video.current) video.current.muted = !video.current.muted;
  };
  useCommands(url ? { play, sound, "frame-back": () => frame(-1), "frame-forward": () => frame(1) } : {});
  const loaded = () => {
    isBroken.value = false;
    // After a new address too, the video goes on where it was.
    if (video.current) video.current.currentTime = renewedAt.current ? time.peek() : firstMoment(data.findings);
  };
  const failed = () => {
    if (Date.now() - renewedAt.current < RENEW_AFTER_MS) {
      isBroken.value = true;
      return;
    }
    renewedAt.current = Date.now();
    onExpired();
  };
  if (!url) return <Section title="Video"><p class="dim">The video's file is no longer stored.</p></Section>;
  return (
    <Section title="Video">
      {/* The player's own controls would be blurred with the picture. */}
      <div class="screen">
        <video key={url} ref={video} class="veil" src={url} muted playsInline preload="metadata" aria-label="Video"
          onClick={play} onLoadedMetadata={loaded} onError={failed} onPlay={() => (isPlaying.value = true)}
          onPause={() => (isPlaying.value = false)}
          onVolumeChange={(event) => (isMuted.value = event.currentTarget.muted)}
          onTimeUpdate={(event) => (time.value = event.currentTarget.currentTime)}>
          {data.subtitles.map((track, at) => (
            <track key={track.language} kind="subtitles" src={track.url} srclang={track.language}
              label={languageName(track.language)} default={at === 0} />
          ))}
        </video>
      </div>
      {isBroken.value && (
        <p class="note" role="alert">
          The video could not be loaded. <button type="button" class="jump" onClick={() => onExpired()}>Try again</button>
        </p>
      )}
      <div class="row controls" role="group" aria-label="Player">
        <Button onClick={play} aria-keyshortcuts="Space">
          <Swap first="Play" second="Pause" isSecond={isPlaying.value} />
        </Button>
        <Button icon aria-label="One frame back" title="One frame back (,)" onClick={() => frame(-1)}>‹</Button>
        <Button icon aria-label="One frame forward" title="One frame forward (.)" onClick={() => frame(1)}>›</Button>
        <Button onClick={sound} aria-pressed={!isMuted.value} aria-keyshortcuts="m">
          Sound <kbd aria-hidden="true">m</kbd>
        </Button>
        <VeilSwitch />
        {may("blocklist") && <BlockFrame uuid={data.content.content_uuid} pause={pause} onShow={seek} />}
      </div>
    </Section>
  );
}

/**
 * Two labels in one place, so that the button keeps its width.
 * @param {{ first: string, second: string, isSecond: boolean }} props
 */
function Swap({ first, second, isSecond }) {
  return (
    <span class="swap">
      <span data-away={isSecond ? "" : undefined}>{first}</span>
      <span data-away={isSecond ? undefined : ""}>{second}</span>
    </span>
  );
}

/** One switch for all pictures of the desk. */
function VeilSwitch() {
  return (
    <Button aria-pressed={isVeiled.value} aria-keyshortcuts="b" onClick={toggleVeil}>
      Blur <kbd aria-hidden="true">b</kbd>
    </Button>
  );
}
