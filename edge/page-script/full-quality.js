// The switch from a video's first quality to its full quality, without a reload of the page.
//
// A video is published with its lower renditions first and with all of them some time later, at the same addresses. A
// page that was rendered in between says so (`data-quality`), and prefers HLS, whose lower renditions stay as they are.

import { isPlaylist, resumeWith } from "./resume.js";

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 60_000;
const ALL_WAITS_MS = 3_600_000;

// Measured in Chromium with 40 ms for each request: after a video was loaded aside within this time, a switch stops the
// playback for 0.1 to 0.3 s, on lines from 5 to 20 Mbit/s. Without that it stops for 0.4 to 4 s. On a line of 3 Mbit/s,
// loading HLS aside takes 7 s and saves nothing, because the viewer is 7 s further by then.
const LOADED_ASIDE_WITHIN_MS = 4_000;

export async function switchToFullQuality(controller) {
  if (!isFirstQuality(controller)) return;
  const video = controller.querySelector("video");
  recoverOnce(controller, video);
  const sources = await untilFull([...video.querySelectorAll("source")].find(isPlaylist).src);
  if (!sources) return;
  if (!video.paused) await untilQuiet(video, sources);
  // The last picture stays until the viewer plays the video again, which begins with a seek.
  if (video.ended) await once(video, "seeking");
  if (isFirstQuality(controller) && !video.error) showFull(controller, video, sources);
}

const isFirstQuality = (controller) => controller?.dataset.quality === "first";

function showFull(controller, video, sources, state) {
  delete controller.dataset.quality;
  resumeWith(video, sources, state);
}

// Loads the video again after an error, because the bytes of the MP4 may have changed while it was played. Only once: a
// second error has another cause.
function recoverOnce(controller, video) {
  // A browser pauses a video that fails, but says so later.
  let paused = true;
  for (const event of ["play", "pause"]) video.addEventListener(event, () => (paused = event === "pause"));
  const recover = async () => {
    if (![MediaError.MEDIA_ERR_NETWORK, MediaError.MEDIA_ERR_DECODE].includes(video.error?.code)) return;
    const state = { paused };
    const sources = await fullSources();
    if (sources) showFull(controller, video, sources, state);
    else resumeWith(video, [], state);
  };
  video.addEventListener("error", recover, { once: true });
}

// Waits for the full quality, and returns its sources, or undefined if it does not come within an hour.
async function untilFull(playlist) {
  let firstTag;
  for (const wait of waits()) {
    await sleep(wait);
    await untilVisible();
    const tag = await tagOf(playlist);
    if (!tag || tag === firstTag) continue;
    // New subtitles change the playlist too, so the page has the last word.
    const sources = await fullSources();
    if (sources) return sources;
    firstTag ??= tag;
  }
}

export function* waits() {
  let wait = FIRST_WAIT_MS;
  for (let sum = wait; sum <= ALL_WAITS_MS; sum += wait) {
    yield wait;
    wait = Math.min(wait * 1.5, LONGEST_WAIT_MS);
  }
}

function untilVisible() {
  return document.hidden && once(document, "visibilitychange");
}

// Returns the sources that the page has now, or undefined while it shows the first quality.
async function fullSources() {
  const response = await fetchNow(location.href);
  if (!response) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const controller = page.querySelector("media-controller");
  if (controller && !isFirstQuality(controller)) return [...controller.querySelectorAll("source")];
}

async function tagOf(url) {
  const response = await fetchNow(url);
  return response?.headers.get("etag");
}

// Asks the server even if the browser has a copy. Returns undefined if that fails, which is no error to the viewer.
async function fetchNow(url) {
  try {
    const response = await fetch(url, { cache: "no-cache" });
    return response.ok ? response : undefined;
  } catch {}
}

// Waits until a switch disturbs a playing video least: when the full quality is loaded aside, so that the browser has
// what it needs, or else when the viewer pauses or seeks. Not when the video stalls, because a line that is too slow for
// the first quality is too slow for a better one.
async function untilQuiet(video, sources) {
  const isQuiet = Promise.race([once(video, "pause"), once(video, "seeking")]);
  const aside = document.createElement("video");
  Object.assign(aside, { muted: true, preload: "auto", currentTime: video.currentTime });
  aside.append(...sources.map((source) => source.cloneNode()));
  const isTooSlow = sleep(LOADED_ASIDE_WITHIN_MS).then(() => unload(aside));
  if (await Promise.race([isQuiet, once(aside, "canplaythrough"), isTooSlow])) return;
  // HLS adapts to the line.
  sources.sort((one, other) => isPlaylist(other) - isPlaylist(one));
  await isQuiet;
}

function unload(video) {
  video.replaceChildren();
  video.load();
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const once = (target, event) => new Promise((resolve) => target.addEventListener(event, resolve, { once: true }));
