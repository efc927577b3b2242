// Reloads a video and continues where the viewer was.

export const isPlaylist = (source) => source.src.endsWith(".m3u8");

// Without new sources, reloads the current ones.
export function resumeWith(video, sources, { paused } = video) {
  const { currentTime, playbackRate } = video;
  if (sources.length > 0) replaceSources(video, sources);
  if (currentTime > 0) coverWithFrame(video);
  keepTracks(video);
  video.load();
  Object.assign(video, { currentTime, playbackRate });
  // If the browser does not allow it, the video stays paused.
  if (!paused) video.play().catch(() => {});
}

function replaceSources(video, sources) {
  const playsStream = isPlaylist({ src: video.currentSrc });
  for (const source of sources) {
    // Browsers keep parts of a file that was played, and would mix them with new parts from the same address.
    if (!playsStream && !isPlaylist(source)) source.src += "?full";
  }
  for (const source of video.querySelectorAll("source")) source.remove();
  video.prepend(...sources);
}

// Shows the current frame until the video has a new one. Otherwise the poster would flash.
function coverWithFrame(video) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  canvas.getContext("2d").drawImage(video, 0, 0);
  canvas.slot = "media";
  video.after(canvas);
  const uncover = () => {
    const hasFrame = video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && !video.seeking;
    if (!hasFrame && !video.error) return;
    // media-chrome drops the video when it sees an element leave this slot.
    canvas.slot = "";
    canvas.remove();
  };
  for (const event of ["loadeddata", "seeked", "error"]) video.addEventListener(event, uncover);
}

// Keeps the viewer's choice of subtitles. The tracks of a stream are removed and added again.
function keepTracks(video) {
  const name = ({ kind, language, label }) => [kind, language, label].join("\n");
  const modes = new Map(Array.from(video.textTracks, (track) => [name(track), track.mode]));
  const restore = (track) => (track.mode = modes.get(name(track)) ?? track.mode);
  video.textTracks.addEventListener("addtrack", ({ track }) => restore(track));
  video.addEventListener("loadedmetadata", () => [...video.textTracks].forEach(restore), { once: true });
}
