// The switch from a video's first quality to its full quality, without a reload of the page.
//
// A video is published with its lower renditions first, and with all renditions some time later, at the same addresses.
// A page that is rendered in between says so (`data-quality`) and prefers HLS, whose lower renditions do not change.

import { isPlaylist, resumeWith } from "./resume.js";

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 60_000;
const GROWTH = 1.25;
const ALL_WAITS_MS = 3_600_000;

// After a change of the playlist, a cache may keep the old page for a minute. The first poll counts as a change.
const PAGE_CHANGES_WITHIN_MS = 90_000;

// A switch interrupts playback. Measured in Chromium, with 40 ms for each request and a video of 2 Mbit/s:
//
//   line         HLS at once   HLS preloaded   MP4 at once   MP4 preloaded
//   no limit     0.4 s         0.1 s           0.3 s         0.1 s
//   20 Mbit/s    1.5 s         0.2 s           0.4 s         0.3 s
//   5 Mbit/s     3.9 s         0.1 s           1.3 s         0.3 s
//   3 Mbit/s     3.4 s         2.9 s           –             1.2 s
//
// Preloading takes up to 3 s, except for HLS at 3 Mbit/s: after those 7 s, the viewer is past what was preloaded.
const PRELOADED_WITHIN_MS = 4_000;

export async function switchToFullQuality(controller) {
  if (!isFirstQuality(controller)) return;
  const video = controller.querySelector("video");
  const recovery = recoverOnce(controller, video);
  const sources = await untilFull([...video.querySelectorAll("source")].find(isPlaylist).src);
  if (!sources) return;
  if (!video.paused) await untilQuiet(video, sources);
  // Keep the last frame until the viewer plays the video again, which begins with a seek.
  if (video.ended) await once(video, "seeking");
  await recovery.end;
  if (isFirstQuality(controller)) showFull(controller, video, sources);
}

const isFirstQuality = (controller) => controller?.dataset.quality === "first";

function showFull(controller, video, sources, state) {
  delete controller.dataset.quality;
  resumeWith(video, sources, state);
}

// Reloads the video after an error, because the MP4 may have been replaced during playback. Only once: a second error
// has another cause.
function recoverOnce(controller, video) {
  // A failing video is already paused when the error is reported, but its pause event comes later.
  let paused = true;
  for (const event of ["play", "pause"]) video.addEventListener(event, () => (paused = event === "pause"));
  const recovery = {};
  const recover = async () => {
    if (![MediaError.MEDIA_ERR_NETWORK, MediaError.MEDIA_ERR_DECODE].includes(video.error?.code)) return;
    const state = { paused };
    const sources = await fullSources();
    if (sources) showFull(controller, video, sources, state);
    else resumeWith(video, [], state);
  };
  video.addEventListener("error", () => (recovery.end = recover()), { once: true });
  return recovery;
}

// Polls until the full quality is available, and returns its sources. Returns undefined after an hour.
async function untilFull(playlist) {
  let tag, changedAt;
  for (const wait of waits()) {
    await sleep(wait);
    await untilVisible();
    const currentTag = await tagOf(playlist);
    if (!currentTag) continue;
    if (currentTag !== tag) [tag, changedAt] = [currentTag, performance.now()];
    if (performance.now() - changedAt > PAGE_CHANGES_WITHIN_MS) continue;
    // New subtitles change the playlist too, so ask the page.
    const sources = await fullSources();
    if (sources) return sources;
  }
}

export function* waits() {
  let wait = FIRST_WAIT_MS;
  for (let sum = wait; sum <= ALL_WAITS_MS; sum += wait) {
    yield wait;
    wait = Math.min(wait * GROWTH, LONGEST_WAIT_MS);
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

// Returns the current response, or undefined if the request fails. The video then keeps its first quality.
async function fetchNow(url) {
  try {
    const response = await fetch(url, { cache: "no-cache" });
    return response.ok ? response : undefined;
  } catch {}
}

// Waits until a switch disturbs a playing video least: when the full quality is preloaded, or when the viewer pauses or
// seeks. A stall is not such a moment: a line that is too slow for the first quality is too slow for a better one.
async function untilQuiet(video, sources) {
  const isQuiet = Promise.race([once(video, "pause"), once(video, "seeking")]);
  // Elements with the same sources share what they have loaded.
  const preloader = document.createElement("video");
  Object.assign(preloader, { muted: true, preload: "auto", currentTime: video.currentTime });
  preloader.append(...sources.map((source) => source.cloneNode()));
  const isTooSlow = sleep(PRELOADED_WITHIN_MS).then(() => unload(preloader));
  if (await Promise.race([isQuiet, once(preloader, "canplaythrough"), isTooSlow])) return;
  // The line is slow, and HLS adapts.
  sources.sort((one, other) => isPlaylist(other) - isPlaylist(one));
  await isQuiet;
}

function unload(video) {
  video.replaceChildren();
  video.load();
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const once = (target, event) => new Promise((resolve) => target.addEventListener(event, resolve, { once: true }));
