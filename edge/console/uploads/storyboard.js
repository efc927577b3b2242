// A video's pictures in requests and addresses.

/** @typedef {import("./video-rules.js").Video} Video */

/**
 * Returns a time as `thumbnail_time` takes it.
 * @param {number} time In whole seconds.
 */
export function clockTime(time) {
  const parts = [Math.floor(time / 3600), Math.floor(time / 60) % 60, time % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/**
 * Returns the address of a file beside a video's thumbnails. The status names the storyboard only once the video is
 * public, but its owner may look at the pictures before.
 * @param {Pick<Video, "thumbnails" | "urls">} video
 * @param {"storyboard" | "storyboard_track" | "poster"} name
 */
export function pictureUrl(video, name) {
  if (video.urls) return video.urls[name];
  const file = { storyboard: "storyboard.jpg", storyboard_track: "storyboard.vtt", poster: "poster.jpg" }[name];
  const beside = video.thumbnails[0]?.url;
  return beside ? new URL(file, beside).href : null;
}
