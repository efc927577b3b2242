// The player: media-chrome's controls around the video element of the page.

import "media-chrome/media-controller";
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
<media-fullscreen-button></media-fullscreen-button>
</media-control-bar>`;

// Clips have at most two minutes, so the arrow keys move by less than media-chrome's ten seconds.
const STEP_SECONDS = "5";

export function showPlayer(controller) {
  if (!controller) return;
  controller.querySelector("video").controls = false;
  controller.setAttribute("keyboardbackwardseekoffset", STEP_SECONDS);
  controller.setAttribute("keyboardforwardseekoffset", STEP_SECONDS);
  controller.insertAdjacentHTML("beforeend", CONTROLS);
}
