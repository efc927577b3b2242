import { useSignal } from "@preact/signals";
import { post, postForm } from "../api.js";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { FileButton } from "../../pages/kit/file-button.jsx";
import { bytes, duration } from "../../pages/kit/format.js";
import { useKeptFocus } from "../../pages/kit/kept-focus.js";
import { useAction } from "./action.js";
import { thumbnailFailure } from "./advice.js";
import { FramePicker } from "./frame-picker.jsx";
import { Blur } from "./picture.jsx";
import { Section } from "../../pages/kit/section.jsx";
import { clockTime } from "./storyboard.js";

/** @typedef {import("./video-store.js").VideoStore} VideoStore */
/** @typedef {import("./video-rules.js").Video} Video */

const MAX_PICTURE_BYTES = 2_000_000;
const LIMIT = bytes(MAX_PICTURE_BYTES);
const PICTURE_TYPES = ["image/jpeg", "image/png", "image/webp"];

/** @param {{ store: VideoStore, video: Video }} props */
export function Thumbnail({ store, video }) {
  const action = useAction(store);
  const isChoosing = useSignal(false);
  const mistake = useSignal(/** @type {string | null} */ (null));
  const shown = video.thumbnails.at(-1)?.url;
  const done = video.state === "processing" ? "The thumbnail will be used once the video is approved"
    : "The new thumbnail is being created";
  const useFrame = async (/** @type {number | null} */ seconds) => {
    const thumbnail_time = seconds === null ? null : clockTime(seconds);
    const body = { content_uuid: video.content_uuid, thumbnail_time };
    if (await action.run(() => post("/developer/update_content", body), done)) isChoosing.value = false;
  };
  const sendPicture = (/** @type {File} */ file) => {
    action.clear();
    mistake.value = mistakeOf(file);
    if (mistake.value) return;
    const form = new FormData();
    form.append("content_uuid", video.content_uuid);
    form.append("thumbnail_file", file);
    action.run(() => postForm("/developer/update_thumbnail", form), done);
  };
  const start = () => {
    action.clear();
    [mistake.value, isChoosing.value] = [null, true];
  };
  return (
    <Section title="Thumbnail">
      <div class="thumbnail step" ref={useKeptFocus(isChoosing.value)} tabindex={-1}>
        <span class="shot">
          {video.thumbhash && <Blur hash={video.thumbhash} />}
          {shown && <img class="loaded" key={shown} src={shown} width={160} height={90} alt="The current thumbnail"
            onError={(event) => (event.currentTarget.hidden = true)} />}
        </span>
        <div class="stack">
          <Change video={video} />
          {!isChoosing.value && (
            <div class="row">
              {shown && <Button onClick={start}>Choose a frame</Button>}
              <FileButton accept={PICTURE_TYPES.join()} busy={action.isBusy} onChoose={sendPicture}>
                Upload an image
              </FileButton>
            </div>
          )}
          {mistake.value && <p class="wrong" role="alert">{mistake.value}</p>}
        </div>
      </div>
      {isChoosing.value && (
        <FramePicker video={video} isBusy={action.isBusy} onChoose={useFrame}
          onCancel={() => (isChoosing.value = false)} labelOf={labelOf} />
      )}
      {action.failure && <FailureNote failure={action.failure} />}
    </Section>
  );
}

/** @param {number} seconds */
function labelOf(seconds) {
  return `Use the frame at ${duration(seconds * 1000)}`;
}

/** What has become of the last change. @param {{ video: Video }} props */
function Change({ video }) {
  if (video.thumbnail_change === "pending") {
    return <p class="dim" role="status">The new thumbnail is being checked. Viewers see this one until then.</p>;
  }
  if (video.thumbnail_change === "failed") {
    return <p class="wrong">{thumbnailFailure(video.thumbnail_error_message_code)}</p>;
  }
  return <p class="dim">Use a frame of the video or your own image: JPEG, PNG or WebP, up to {LIMIT}.</p>;
}

/** @param {File} file */
function mistakeOf(file) {
  if (!PICTURE_TYPES.includes(file.type)) return "This is not a JPEG, PNG or WebP image. Choose another file.";
  if (file.size > MAX_PICTURE_BYTES) return `The image is ${bytes(file.size)}. Choose one of at most ${LIMIT}.`;
  return null;
}
