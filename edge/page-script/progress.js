// The page of a video that is not public yet: loads it again when its status may have changed.

export function checkAgain(message) {
  if (!message) return;
  setTimeout(() => location.reload(), Number(message.dataset.checkAfter) * 1000);
}
