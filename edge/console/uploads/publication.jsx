import { useSignal } from "@preact/signals";
import { post } from "../api.js";
import { Button } from "../../pages/kit/button.jsx";
import { CopyButton } from "../../pages/kit/copy.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { Field } from "../../pages/kit/field.jsx";
import { dayAndTime, moment } from "../../pages/kit/format.js";
import { Time } from "../../pages/kit/time.jsx";
import { useAction } from "./action.js";
import { whoCanWatch } from "./labels.js";
import { bounds, fromField, scheduleMistake, toField } from "./schedule.js";
import { Section } from "../../pages/kit/section.jsx";
import { actionsOf, nameOf, publishesAtOnce, waitingFor } from "./video-rules.js";

/** @typedef {import("./video-store.js").VideoStore} VideoStore */
/** @typedef {import("./video-rules.js").Video} Video */

/** Where the video is published, or when. @param {{ store: VideoStore, video: Video }} props */
export function Publication({ store, video }) {
  if (video.urls) return <Address url={video.urls.page} />;
  return actionsOf(video).schedule ? <Schedule store={store} video={video} /> : null;
}

/** @param {{ url: string }} props */
function Address({ url }) {
  return (
    <div class="address">
      <a class="cut" href={url} target="_blank" rel="noopener">{url.replace(/^https?:\/\//, "")}</a>
      <CopyButton text={url} label="Copy link" kind="plain" />
      <Button href={url} target="_blank">Open page</Button>
    </div>
  );
}

const nowSeconds = () => Date.now() / 1000;

/** @param {{ store: VideoStore, video: Video }} props */
function Schedule({ store, video }) {
  const action = useAction(store);
  const isChoosing = useSignal(false);
  const sure = useSignal(/** @type {"release" | "publish" | null} */ (null));
  const body = { content_uuid: video.content_uuid };
  /** @param {number | null} time */
  const reschedule = (time) => post("/developer/reschedule_content", { ...body, scheduled_publish_at_unix: time });
  const isApproved = video.state === "scheduled";
  const commands = {
    publish: () => action.run(() => reschedule(null), isApproved ? "Published" : "It will be published once approved"),
    release: () => action.run(() => post("/developer/release_content", body), "Released"),
  };
  /** @param {"release" | "publish"} name */
  const start = (name) => {
    action.clear();
    if (publishesAtOnce(video, name, nowSeconds())) sure.value = name;
    else commands[name]();
  };
  const choose = async (/** @type {number} */ time) => {
    const isDone = await action.run(() => reschedule(time), `Scheduled for ${moment(time)}`);
    if (isDone) isChoosing.value = false;
  };
  /** @param {boolean} isOpen */
  const showForm = (isOpen) => {
    action.clear();
    isChoosing.value = isOpen;
  };
  const time = video.scheduled_publish_at_unix;
  return (
    <Section title="Publication" note={isApproved ? waitingFor(video) : undefined}>
      <p>{plan(video)}{time !== null && <> <span class="dim">(<Time unix={time} />)</span></>}</p>
      {!isChoosing.value && (
        <div class="row">
          {video.needs_release && (
            <Button kind="main" busy={action.isBusy} onClick={() => start("release")}>Release</Button>
          )}
          {(time !== null || isApproved) && !video.needs_release && (
            <Button kind={isApproved ? "main" : "plain"} busy={action.isBusy} onClick={() => start("publish")}>
              {isApproved ? "Publish now" : "Publish once approved"}
            </Button>
          )}
          <Button onClick={() => showForm(true)}>{time === null ? "Schedule" : "Change time"}</Button>
        </div>
      )}
      {isChoosing.value && (
        <TimeForm time={time} isBusy={action.isBusy} error={action.failure?.what ?? null} onChoose={choose}
          onCancel={() => showForm(false)} />
      )}
      {!isChoosing.value && action.failure && <FailureNote failure={action.failure} />}
      {sure.value && <Sure video={video} busy={action.isBusy} onClose={() => (sure.value = null)} onSure={async () => {
        const name = sure.peek();
        if (name) await commands[name]();
        sure.value = null;
      }} />}
    </Section>
  );
}

/** @param {Video} video */
function plan(video) {
  const time = video.scheduled_publish_at_unix;
  const at = time === null ? "" : dayAndTime(time);
  if (video.needs_release) return time === null ? "After you release it." : `After you release it, not before ${at}`;
  if (time !== null) return video.state === "scheduled" ? at : `Once approved, not before ${at}`;
  return "Once approved.";
}

/**
 * @param {{ time: number | null, isBusy: boolean, error: string | null, onChoose: (time: number) => void,
 *   onCancel: () => void }} props
 */
function TimeForm({ time, isBusy, error, onChoose, onCancel }) {
  const { min, max } = bounds(nowSeconds());
  const text = useSignal(toField(Math.max(time ?? 0, min)));
  const mistake = useSignal(/** @type {string | null} */ (null));
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const chosen = fromField(text.value);
    mistake.value = scheduleMistake(chosen, nowSeconds());
    if (chosen !== null && !mistake.value) onChoose(chosen);
  };
  return (
    <form class="stack" noValidate onSubmit={submit}>
      <Field label="Publish at" error={mistake.value ?? error}
        help="In your time zone, from 5 minutes to 180 days ahead.">
        {(ids) => <input class="input time" type="datetime-local" {...ids} value={text.value} min={toField(min)}
          max={toField(max)} onInput={(event) => (text.value = event.currentTarget.value)} />}
      </Field>
      <div class="row">
        <Button kind="main" type="submit" busy={isBusy}>Save time</Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

/** @param {{ video: Video, busy: boolean, onSure: () => void, onClose: () => void }} props */
function Sure({ video, busy, onSure, onClose }) {
  return (
    <Dialog title={`Publish “${nameOf(video)}” now?`} onClose={onClose} onSubmit={onSure} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="main" type="submit" busy={busy}>Publish now</Button>
    </>}>
      <p>{whoCanWatch(video)} immediately. It cannot be scheduled again, only deleted.</p>
    </Dialog>
  );
}
