// The whole video as small pictures. Each one moves the video to its time.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { duration } from "../../pages/kit/format.js";
import { Section } from "../../pages/kit/section.jsx";
import { cellAt, readStoryboard, sample } from "../../pages/kit/storyboard.js";

/** @typedef {import("../../pages/kit/storyboard.js").Cell} Cell */

/** More pictures than a glance takes in would push the video off the screen. */
const MAX_CELLS = 16;

/**
 * @param {{ data: import("../types").Case, time: import("@preact/signals").Signal<number>,
 *   onJump: (seconds: number) => void }} props
 */
export function Storyboard({ data, time, onJump }) {
  const cells = useSignal(/** @type {Cell[]} */ ([]));
  const sheet = useSignal(/** @type {{ url: string, width: number, height: number } | null} */ (null));
  const { storyboard_url: url, storyboard_vtt_url: track } = data;
  useEffect(() => {
    if (!url || !track) return;
    const abort = new AbortController();
    fetch(track, { signal: abort.signal, credentials: "same-origin" })
      .then((response) => (response.ok ? response.text() : ""))
      .then((text) => (cells.value = readStoryboard(text)), () => {});
    const image = new Image();
    image.onload = () => (sheet.value = { url, width: image.naturalWidth, height: image.naturalHeight });
    image.src = url;
    return () => {
      abort.abort();
      image.onload = null;
    };
  }, [url, track]);
  if (!url) return null;
  const shown = sheet.value ? sample(cells.value, MAX_CELLS) : [];
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
            <span class="veil" style={place(cell, /** @type {NonNullable<typeof sheet.value>} */ (sheet.value))} />
            <span class="length number">{duration(cell.start * 1000)}</span>
          </button>
        ))}
      </div>
    </Section>
  );
}

/**
 * Shows one cell of the sheet at any size.
 * @param {Cell} cell @param {{ url: string, width: number, height: number }} sheet
 */
function place({ x, y, width, height }, sheet) {
  const part = (/** @type {number} */ at, /** @type {number} */ rest) => (rest > 0 ? (100 * at) / rest : 0);
  return {
    aspectRatio: `${width} / ${height}`, backgroundImage: `url(${JSON.stringify(sheet.url)})`,
    backgroundSize: `${(100 * sheet.width) / width}% ${(100 * sheet.height) / height}%`,
    backgroundPosition: `${part(x, sheet.width - width)}% ${part(y, sheet.height - height)}%`,
  };
}
