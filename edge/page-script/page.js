// The script of the pages. A page works without it: the video has the browser's own controls, and the embed code can be
// copied by hand.

/*! Contains media-chrome, (c) Mux, Inc., MIT licence: https://github.com/muxinc/media-chrome/blob/main/LICENSE */

import "./shadow-styles.js";
import { showPlayer } from "./player.js";
import { offerSharing } from "./sharing.js";
import { checkAgain } from "./progress.js";
import { askBeforeShowing } from "./warning.js";
import { switchToFullQuality } from "./full-quality.js";

document.documentElement.classList.add("scripted");
const controller = document.querySelector("media-controller");
showPlayer(controller);
askBeforeShowing(document.querySelector(".warning"), controller);
switchToFullQuality(controller);
offerSharing(document.querySelector(".share"));
checkAgain(document.querySelector("[data-check-after]"));
