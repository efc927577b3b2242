import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { duration } from "../kit/format.js";
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
  useLayoutEffect(() => {
    const picture = decodeThumbhash(hash);
    if (!canvas.current || !picture) return;
    canvas.current.width = picture.width;
    canvas.current.height = picture.height;
    canvas.current.getContext("2d")?.putImageData(new ImageData(picture.pixels, picture.width), 0, 0);
  }, [hash]);
  return <canvas ref={canvas} aria-hidden="true" />;
}

/** @param {{ url: string }} props */
function Thumbnail({ url }) {
  const look = useSignal("");
  return <img class={look.value} src={url} width={80} height={45} alt="" decoding="async"
    onLoad={() => (look.value = "loaded")} onError={() => (look.value = "")} />;
}
