import { duration } from "../../pages/kit/format.js";
import { lanesOf } from "./timeline.js";

/**
 * The length of the video, to move in, and the findings along it: a click on one moves the video there.
 * @param {{ data: import("../types").Case, time: import("@preact/signals").Signal<number>,
 *   onJump: (seconds: number) => void }} props
 */
export function Timeline({ data, time, onJump }) {
  const seconds = data.duration_ms / 1000;
  if (!data.video_url || seconds <= 0) return null;
  const lanes = lanesOf(data.findings, data.duration_ms);
  const at = Math.min(100, (100 * time.value) / seconds);
  return (
    <div class="timeline" role="group" aria-label="Timeline">
      <div class="position">
        <input type="range" aria-label="Position" min={0} max={seconds} step={0.1} value={time.value}
          aria-valuetext={`${duration(1000 * time.value)} of ${duration(data.duration_ms)}`}
          onInput={(event) => onJump(Number(event.currentTarget.value))} />
        <span class="number dim note">{duration(1000 * Math.floor(time.value))} / {duration(data.duration_ms)}</span>
      </div>
      {lanes.map(({ name, tone, marks }) => (
        <div key={name} class="lane">
          <span class="note" dir="auto">{name}</span>
          <div class="line">
            {marks.map(({ at, start, width }, index) => (
              <button type="button" key={index} class={`mark ${tone}`} style={{ left: `${start}%`, width: `${width}%` }}
                aria-label={`${name} at ${duration(at * 1000)}`} title={`${name} at ${duration(at * 1000)}`}
                onClick={() => onJump(at)} />
            ))}
            <span class="head-of-play" style={{ left: `${at}%` }} aria-hidden="true" />
          </div>
        </div>
      ))}
    </div>
  );
}
