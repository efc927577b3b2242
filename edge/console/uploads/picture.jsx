import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { duration } from "../../pages/kit/format.js";
import { decodeThumbhash } from "./thumbhash.js";

/** @typedef {import("./video-rules.js").Video} Video */

/** A video's picture in a row: its blurred placeholder first, then the thumbnail. @param {{ video: Video }} props */
export function Picture({ video }) {
  const url = video.thumbnails[0]?.url;
  return (
    <span class="shot">
      {video.thumbhash && <Blur hash={video.thumbhash} />}
      {url && <Thumbnail key={url} url={url} />}
      {video.duration_ms > 0 && <span class="length number">{duration(video.duration_ms)}</span>}
    </span>
  );
}

/** @param {{ hash: string }} props */
export function Blur({ hash }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  // Rows that fly by while somebody scrolls are gone before they are drawn, so they cost nothing.
  useEffect(() => whenIdle(() => canvas.current && draw(canvas.current, hash)), [hash]);
  return <canvas ref={canvas} aria-hidden="true" />;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {string} hash
 */
function draw(canvas, hash) {
  const picture = decodeThumbhash(hash);
  if (!picture) return;
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext("2d")?.putImageData(new ImageData(picture.pixels, picture.width), 0, 0);
}

/**
 * Calls a function when the page has nothing more urgent to do, and returns a function that prevents it.
 * @param {() => void} call
 */
function whenIdle(call) {
  if (!globalThis.requestIdleCallback) {
    const timer = setTimeout(call, 50);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(call, { timeout: 500 });
  return () => cancelIdleCallback(request);
}

/** @param {{ url: string }} props */
function Thumbnail({ url }) {
  const look = useSignal("");
  return <img class={look.value} src={url} width={80} height={45} alt="" decoding="async"
    onLoad={() => (look.value = "loaded")} onError={() => (look.value = "")} />;
}
