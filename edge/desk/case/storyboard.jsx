// The whole video as small pictures. Each one moves the video to its time.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { duration } from "../../pages/kit/format.js";
import { Section } from "../../pages/kit/section.jsx";
import { cellAt, sample } from "../../pages/kit/storyboard.js";
import { cellStyle, readSheet } from "./sheet.js";

/** @typedef {import("./sheet.js").Sheet} Sheet */

/** More pictures than a glance takes in would push the video off the screen. */
const MAX_CELLS = 16;

/**
 * @param {{ data: import("../types").Case, time: import("@preact/signals").Signal<number>,
 *   onJump: (seconds: number) => void }} props
 */
export function Storyboard({ data, time, onJump }) {
  const sheet = useSignal(/** @type {Sheet | null} */ (null));
  const { storyboard_url: url, storyboard_vtt_url: track } = data;
  useEffect(() => {
    const abort = new AbortController();
    readSheet(url, track, abort.signal).then((read) => {
      if (read && !abort.signal.aborted) sheet.value = read;
    });
    return () => abort.abort();
  }, [url, track]);
  if (!url) return null;
  const shown = sheet.value ? sample(sheet.value.cells, MAX_CELLS) : [];
  const current = cellAt(shown, time.value);
  // One stop for the keyboard; the arrow keys lead from picture to picture.
  const moved = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const button = /** @type {HTMLElement} */ (event.target);
    const next = by === 1 ? button.nextElementSibling : by === -1 ? button.previousElementSibling : null;
    if (next instanceof HTMLElement) next.focus();
  };
  return (
    <Section title="Storyboard">
      <div class="storyboard" role="group" aria-label="Frames of the video" aria-busy={shown.length === 0}
        onKeyDown={moved}>
        {shown.map((cell) => (
          <button type="button" key={cell.start} class="frame-of-video" tabindex={cell === current ? 0 : -1}
            aria-current={cell === current ? "true" : undefined}
            aria-label={`Show the video at ${duration(cell.start * 1000)}`} onClick={() => onJump(cell.start)}>
            <span class="veil" style={cellStyle(cell, /** @type {Sheet} */ (sheet.value))} />
            <span class="length number">{duration(cell.start * 1000)}</span>
          </button>
        ))}
      </div>
    </Section>
  );
}
