import { useSignal } from "@preact/signals";
import { Button } from "../../pages/kit/button.jsx";
import { duration } from "../../pages/kit/format.js";
import { useLoad } from "../../pages/kit/load.js";
import { cellAt, readStoryboard, sample } from "../../pages/kit/storyboard.js";
import { pictureUrl } from "./storyboard.js";

/** @typedef {import("./video-rules.js").Video} Video */
/** @typedef {import("../../pages/kit/storyboard.js").Cell} Cell */

/** How many times as wide as high the strip is, more or less. */
const STRIP_SHAPE = 18;

/**
 * Chooses a time of the video by dragging along its storyboard.
 * @param {{ video: Video, isBusy: boolean, labelOf: (seconds: number) => string,
 *   onChoose: (seconds: number | null) => void, onCancel: () => void }} props
 */
export function FramePicker({ video, isBusy, labelOf, onChoose, onCancel }) {
  const seconds = useSignal(Math.floor(video.duration_ms / 2000));
  const { data } = useLoad(() => loadStoryboard(video), video.media_name);
  const cells = data ?? [];
  const sheet = pictureUrl(video, "storyboard");
  const time = duration(seconds.value * 1000);
  return (
    <div class="frame-picker">
      <div class="shot">
        {sheet && <Frame cells={cells} cell={cellAt(cells, seconds.value)} sheet={sheet} />}
        <span class="length number">{time}</span>
      </div>
      <div class="strip">
        {sheet && sample(cells, framesInStrip(cells[0])).map((cell) => (
          <span key={cell.start}><Frame cells={cells} cell={cell} sheet={sheet} /></span>
        ))}
        <input type="range" min={0} max={Math.floor(video.duration_ms / 1000)} step={1} value={seconds.value}
          aria-label="Frame time" aria-valuetext={time}
          onInput={(event) => (seconds.value = Number(event.currentTarget.value))} />
      </div>
      <div class="row">
        <Button kind="main" busy={isBusy} onClick={() => onChoose(seconds.value)}>{labelOf(seconds.value)}</Button>
        <Button onClick={() => onChoose(null)}>Choose for me</Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </div>
  );
}

/** @param {Cell | undefined} cell */
function framesInStrip(cell) {
  return cell ? Math.round((STRIP_SHAPE * cell.height) / cell.width) : 0;
}

/**
 * Returns the frames; none if they cannot be loaded, as the time can be chosen without them.
 * @param {Video} video
 */
async function loadStoryboard(video) {
  const track = pictureUrl(video, "storyboard_track");
  const response = track ? await fetch(track).catch(() => null) : null;
  return response?.ok ? readStoryboard(await response.text()) : [];
}

/**
 * One frame of the storyboard, at the size of what surrounds it.
 * @param {{ cells: Cell[], cell: Cell | null, sheet: string }} props
 */
function Frame({ cells, cell, sheet }) {
  if (!cell) return null;
  const width = Math.max(...cells.map(({ x, width }) => x + width));
  const height = Math.max(...cells.map(({ y, height }) => y + height));
  const part = (/** @type {number} */ at, /** @type {number} */ rest) => (rest > 0 ? (at / rest) * 100 : 0);
  return <span class="frame" style={{
    aspectRatio: `${cell.width} / ${cell.height}`,
    backgroundImage: `url("${sheet}")`,
    backgroundSize: `${(width / cell.width) * 100}% ${(height / cell.height) * 100}%`,
    backgroundPosition: `${part(cell.x, width - cell.width)}% ${part(cell.y, height - cell.height)}%`,
  }} />;
}
