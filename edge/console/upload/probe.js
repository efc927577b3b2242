// What the browser itself can read of a video.

/** @typedef {import("./rules.js").Media} Media */

const PATIENCE_MS = 8000;

/**
 * Returns length and size of a video, or null if the browser cannot read it; many formats only the service can read.
 * @param {string} url Of the file, as `URL.createObjectURL` makes it.
 * @returns {Promise<Media | null>}
 */
export function probe(url) {
  const video = document.createElement("video");
  video.preload = "metadata";
  return new Promise((resolve) => {
    const end = (/** @type {Media | null} */ media) => {
      clearTimeout(timer);
      video.removeAttribute("src");
      resolve(media);
    };
    const timer = setTimeout(() => end(null), PATIENCE_MS);
    video.onerror = () => end(null);
    video.onloadedmetadata = () => {
      // Recordings of browsers do not say how long they are.
      const durationMs = Number.isFinite(video.duration) ? Math.round(video.duration * 1000) : null;
      // Without width, a file with sound alone.
      end(video.videoWidth ? { durationMs, width: video.videoWidth, height: video.videoHeight } : null);
    };
    video.src = url;
  });
}
