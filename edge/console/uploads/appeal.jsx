import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { post } from "../api.js";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { focusError, TextField } from "../../pages/kit/field.jsx";
import { dayAndTime } from "../../pages/kit/format.js";
import { useKeptFocus } from "../../pages/kit/kept-focus.js";
import { Time } from "../../pages/kit/time.jsx";
import { useAction } from "./action.js";
import { appealMistake, describeAppeal, MAX_APPEAL_CHARACTERS } from "./appeals.js";
import { useUnsavedWarning } from "./details.jsx";

/** @typedef {import("./video-store.js").VideoStore} VideoStore */
/** @typedef {import("./video-rules.js").Video} Video */

/** The owner's appeal against a rejection or a removal. @param {{ store: VideoStore, video: Video }} props */
export function Appeal({ store, video }) {
  const action = useAction(store);
  const isWriting = useSignal(false);
  const text = useSignal("");
  const known = describeAppeal(video);
  const until = video.can_appeal_until_unix ?? null;
  const step = known ? "known" : until === null ? "none" : isWriting.value ? "form" : "button";
  const place = useKeptFocus(step);
  useUnsavedWarning(step === "form" && text.value.trim() !== "");
  const show = (/** @type {boolean} */ isOpen) => {
    action.clear();
    isWriting.value = isOpen;
  };
  const send = async () => {
    const body = { content_uuid: video.content_uuid, text: text.peek().trim() };
    const isSent = await action.run(() => post("/developer/appeal_content", body), "Appeal sent");
    if (isSent) text.value = "";
    return isSent;
  };
  // A conflict takes the form away, and says why.
  const failure = step === "form" ? null : action.failure;
  // While a request is under way, the place stays, so that the keyboard stays there too.
  if (step === "none" && !failure && !action.isBusy) return null;
  return (
    <div class="stack appeal" ref={place} tabindex={-1} role="group" aria-label="Appeal">
      {failure && <FailureNote failure={failure} />}
      {known && (
        <p>{known.sentAtUnix !== null && <>Appeal sent <Time unix={known.sentAtUnix} />. </>}{known.text}</p>
      )}
      {step === "button" && <div><Button kind="quiet" onClick={() => show(true)}>Appeal</Button></div>}
      {step === "form" && until !== null && (
        <Form text={text.value} until={until} action={action} onSend={send} onCancel={() => show(false)}
          onInput={(changed) => { action.clear(); text.value = changed; }} />
      )}
    </div>
  );
}

/**
 * @param {{ text: string, until: number, action: ReturnType<typeof useAction>, onSend: () => Promise<boolean>,
 *   onInput: (text: string) => void, onCancel: () => void }} props
 */
function Form({ text, until, action, onSend, onInput, onCancel }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const wasSent = useSignal(false);
  useEffect(() => form.current?.querySelector("textarea")?.focus(), []);
  const isOfText = action.failure?.field === "text";
  const mistake = wasSent.value ? appealMistake(text) : null;
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    wasSent.value = true;
    if (appealMistake(text)) return focusError();
    if (!await onSend()) focusError();
  };
  return (
    <form class="stack" ref={form} noValidate onSubmit={submit} onKeyDown={(event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
    }}>
      <TextField label="Why is the decision wrong?" multiline value={text} most={MAX_APPEAL_CHARACTERS}
        error={mistake ?? (isOfText ? action.failure?.what : null)} onInput={onInput}
        help={`A moderator reviews it, if possible not the one who decided. You can appeal once, until ${
          dayAndTime(until)}.`} />
      {action.failure && !isOfText && <FailureNote failure={action.failure} />}
      <div class="row">
        <Button kind="main" type="submit" busy={action.isBusy}>Send appeal</Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
