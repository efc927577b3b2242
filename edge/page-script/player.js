// The player: media-chrome's controls around the video element of the page.

import "media-chrome/media-controller";
import "media-chrome/media-captions-button";
import "media-chrome/media-control-bar";
import "media-chrome/media-fullscreen-button";
import "media-chrome/media-loading-indicator";
import "media-chrome/media-mute-button";
import "media-chrome/media-play-button";
import "media-chrome/media-time-display";
import "media-chrome/media-time-range";
import "media-chrome/media-volume-range";

const CONTROLS = `
<media-loading-indicator slot="centered-chrome" noautohide></media-loading-indicator>
<media-control-bar>
<media-play-button></media-play-button>
<media-time-range></media-time-range>
<media-time-display showduration notoggle></media-time-display>
<media-mute-button></media-mute-button>
<media-volume-range></media-volume-range>
<media-captions-button></media-captions-button>
<media-fullscreen-button></media-fullscreen-button>
</media-control-bar>`;

// Clips have at most two minutes, so the arrow keys move by less than media-chrome's ten seconds.
const STEP_SECONDS = "5";

export function showPlayer(controller) {
  if (!controller) return;
  const video = controller.querySelector("video");
  video.controls = false;
  preferTracksOfStream(video);
  controller.setAttribute("keyboardbackwardseekoffset", STEP_SECONDS);
  controller.setAttribute("keyboardforwardseekoffset", STEP_SECONDS);
  controller.insertAdjacentHTML("beforeend", CONTROLS);
}

// A browser that plays HLS finds the subtitles in its playlist too. Then the elements would list each track twice.
function preferTracksOfStream(video) {
  const elements = [...video.querySelectorAll("track:not([kind=metadata])")];
  const isText = (track) => track.kind === "subtitles" || track.kind === "captions";
  video.textTracks.addEventListener("addtrack", ({ track }) => {
    const isOfStream = isText(track) && !elements.some((element) => element.track === track);
    if (isOfStream) for (const element of elements) element.remove();
  });
}
