// The warning before a sensitive video: it covers the player until the viewer wants to see the video.

export function askBeforeShowing(warning, controller) {
  if (!warning || !controller) return;
  const video = controller.querySelector("video");
  // Neither the keyboard nor a screen reader reaches what is covered.
  controller.inert = true;
  warning.querySelector("button").addEventListener("click", () => {
    controller.inert = false;
    warning.remove();
    video.preload = "metadata";
    controller.focus();
    // If the browser refuses to play, the viewer presses play.
    video.play().catch(() => {});
  });
}
