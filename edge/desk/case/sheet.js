// A storyboard that has been read, and single pictures cut from it.
import { readStoryboard } from "../../pages/kit/storyboard.js";

/** @typedef {import("../../pages/kit/storyboard.js").Cell} Cell */
/** @typedef {{ url: string, width: number, height: number, cells: Cell[] }} Sheet In pixels. */
/** @typedef {{ turnedDegrees: number, isMirrored: boolean }} Orientation */

/** Taller or wider pictures get black bars, so that no picture pushes the text away. */
const [TALLEST, WIDEST] = [3 / 4, 16 / 9];

/**
 * Reads the storyboard of a video. Null if it is not stored or cannot be read.
 * @param {string | null} url @param {string | null} track @param {AbortSignal} abort
 * @returns {Promise<Sheet | null>}
 */
export async function readSheet(url, track, abort) {
  if (!url || !track) return null;
  try {
    const image = new Image();
    image.src = url;
    const [response] = await Promise.all([fetch(track, { signal: abort, credentials: "same-origin" }), image.decode()]);
    const cells = response.ok ? readStoryboard(await response.text()) : [];
    return cells.length > 0 ? { url, width: image.naturalWidth, height: image.naturalHeight, cells } : null;
  } catch {
    return null;
  }
}

/**
 * The styles that show one cell of the sheet at any size.
 * @param {Cell} cell @param {Pick<Sheet, "url" | "width" | "height">} sheet
 */
export function cellStyle({ x, y, width, height }, sheet) {
  const part = (/** @type {number} */ at, /** @type {number} */ rest) => (rest > 0 ? (100 * at) / rest : 0);
  return {
    aspectRatio: `${width} / ${height}`, backgroundImage: `url(${JSON.stringify(sheet.url)})`,
    backgroundSize: `${(100 * sheet.width) / width}% ${(100 * sheet.height) / height}%`,
    backgroundPosition: `${part(x, sheet.width - width)}% ${part(y, sheet.height - height)}%`,
  };
}

/**
 * Returns the shape, as width by height, of the stage on which a picture is shown.
 * @param {Cell | null} cell @param {number} [turnedDegrees]
 */
export function stageOf(cell, turnedDegrees = 0) {
  if (!cell) return WIDEST;
  return Math.min(WIDEST, Math.max(TALLEST, shapeOf(cell, turnedDegrees)));
}

/**
 * The styles that show a cell whole and centered on a stage, mirrored first and turned clockwise then.
 * @param {Cell} cell @param {number} stage Its width by its height. @param {Orientation} orientation
 */
export function stageStyle(cell, stage, { turnedDegrees, isMirrored }) {
  const shape = shapeOf(cell, turnedDegrees);
  // The size as it is seen, in widths of the stage.
  const wide = Math.min(1, shape / stage);
  const high = wide / shape;
  const transform = [
    "translate(-50%, -50%)", turnedDegrees && `rotate(${turnedDegrees}deg)`, isMirrored && "scaleX(-1)",
  ];
  const width = isOnItsSide(turnedDegrees) ? high : wide;
  return { width: `${100 * width}%`, transform: transform.filter(Boolean).join(" ") };
}

/** @param {number} degrees */
const isOnItsSide = (degrees) => degrees % 180 !== 0;

/** @param {Cell} cell @param {number} turnedDegrees */
const shapeOf = ({ width, height }, turnedDegrees) => (isOnItsSide(turnedDegrees) ? height / width : width / height);
