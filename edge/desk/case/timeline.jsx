import { duration } from "../../pages/kit/format.js";
import { lanesOf } from "./timeline.js";

/**
 * The findings along the video: a click on one moves the video there.
 * @param {{ data: import("../types").Case, time: import("@preact/signals").Signal<number>,
 *   onJump: (seconds: number) => void }} props
 */
export function Timeline({ data, time, onJump }) {
  const lanes = lanesOf(data.findings, data.duration_ms);
  if (lanes.length === 0) return null;
  const at = Math.min(100, (100_000 * time.value) / data.duration_ms);
  return (
    <div class="timeline" role="group" aria-label="Findings in the video">
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
      <p class="ends note number" aria-hidden="true"><span>0:00</span><span>{duration(data.duration_ms)}</span></p>
    </div>
  );
}
