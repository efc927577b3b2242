import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { post, postForm } from "../api.js";
import { Button } from "../../pages/kit/button.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { Field } from "../../pages/kit/field.jsx";
import { FileButton } from "../../pages/kit/file-button.jsx";
import { useAction } from "./action.js";
import { captionsFailure } from "./advice.js";
import { captionsMistake, COMMON_LANGUAGES, droppedText, languageName, MAX_LANGUAGES, tracksOf } from "./languages.js";
import { Section } from "../../pages/kit/section.jsx";

/** @typedef {import("./video-store.js").VideoStore} VideoStore */
/** @typedef {import("./video-rules.js").Video} Video */

/** @param {{ store: VideoStore, video: Video }} props */
export function Captions({ store, video }) {
  const removed = useSignal(/** @type {string | null} */ (null));
  const tracks = tracksOf(video);
  const dropped = video.dropped_subtitles ?? [];
  const isFull = (video.captions?.length ?? 0) >= MAX_LANGUAGES;
  return (
    <Section title="Captions">
      {video.captions_change === "pending" && (
        <p class="dim" role="status">
          The change is being processed and checked. Viewers see the earlier captions until then.
        </p>
      )}
      {video.captions_change === "failed" && <p class="wrong">{captionsFailure(video.captions_error_message_code)}</p>}
      {tracks.length > 0 && (
        <ul class="tracks">
          {tracks.map((track) => (
            <li key={track.key}>
              <span class="cut" dir="auto">{track.label}</span>
              <span class="note">{track.isOwn ? track.language : noteOnOthers(video)}</span>
              {track.isOwn && <Button kind="quiet" aria-label={`Delete ${track.label} captions`}
                onClick={() => (removed.value = track.language)}>Delete</Button>}
            </li>
          ))}
        </ul>
      )}
      {dropped.length > 0 && <p class="note">{droppedText(dropped)}</p>}
      {isFull ? <p class="note">A video can have captions in {MAX_LANGUAGES} languages. Delete one to add another.</p>
        : <AddCaptions store={store} video={video} />}
      {removed.value && (
        <Remove store={store} video={video} language={removed.value} onClose={() => (removed.value = null)} />
      )}
    </Section>
  );
}

/**
 * While captions are being deleted, viewers still see them, and nothing tells them from the tracks of the file.
 * @param {Video} video
 */
function noteOnOthers(video) {
  return video.captions_change === "pending" ? "shown until the change is complete" : "from the uploaded file";
}

/** @param {{ store: VideoStore, video: Video }} props */
function AddCaptions({ store, video }) {
  const id = useId();
  const action = useAction(store);
  const language = useSignal("");
  const mistake = useSignal(/** @type {string | null} */ (null));
  const tag = language.value.trim();
  const send = async (/** @type {File} */ file) => {
    action.clear();
    mistake.value = captionsMistake(tag, file);
    if (mistake.value) return;
    const form = new FormData();
    form.append("content_uuid", video.content_uuid);
    form.append("language", tag);
    form.append("captions_file", file);
    const name = languageName(tag);
    const done = video.state === "processing" ? `${name} captions will appear once the video is approved`
      : `${name} captions are being processed`;
    if (await action.run(() => postForm("/developer/update_captions", form), done)) language.value = "";
  };
  const choose = (/** @type {string} */ text) => {
    mistake.value = null;
    language.value = text;
  };
  const isOfLanguage = action.failure?.field === "language";
  const help = "A language tag such as en or pt-BR, and a WebVTT or SubRip file of at most 512 KiB.";
  return (
    <>
      <Field label={video.captions?.includes(tag) ? `Replace ${languageName(tag)}` : "Add a language"} help={help}
        error={mistake.value ?? (isOfLanguage ? action.failure?.what : null)}>
        {(ids) => (
          <div class="row add-captions">
            <input class="input" {...ids} list={`${id}-tags`} placeholder="en" maxLength={12} autocomplete="off"
              spellcheck={false} value={language.value} onInput={(event) => choose(event.currentTarget.value)} />
            <datalist id={`${id}-tags`}>
              {COMMON_LANGUAGES.map((common) => <option key={common} value={common}>{languageName(common)}</option>)}
            </datalist>
            <FileButton accept=".vtt,.srt,text/vtt" busy={action.isBusy} onChoose={send}>Choose file</FileButton>
          </div>
        )}
      </Field>
      {action.failure && !isOfLanguage && <FailureNote failure={action.failure} />}
    </>
  );
}

/** @param {{ store: VideoStore, video: Video, language: string, onClose: () => void }} props */
function Remove({ store, video, language, onClose }) {
  const action = useAction(store);
  const name = languageName(language);
  const remove = async () => {
    const send = () => post("/developer/delete_captions", { content_uuid: video.content_uuid, language });
    if (await action.run(send, `${name} captions are being removed`)) onClose();
  };
  return (
    <Dialog title={`Delete ${name} captions?`} onClose={onClose} onSubmit={remove} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="danger" sure type="submit" busy={action.isBusy}>Delete captions</Button>
    </>}>
      <p>
        Your file is deleted. If the uploaded video has subtitles in this language, they are shown again.
        To undo this, upload the file again.
      </p>
      {action.failure && <FailureNote failure={action.failure} />}
    </Dialog>
  );
}
