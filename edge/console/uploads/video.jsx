// A video's page: what it is, how far it is, and everything its owner can do with it.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { failureFrom, getTagged } from "../api.js";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { titleOf } from "../../pages/kit/format.js";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { State } from "../../pages/kit/state.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { navigate } from "../../pages/kit/router.js";
import { Appeal } from "./appeal.jsx";
import { Captions } from "./captions.jsx";
import { DeleteVideo } from "./delete-video.jsx";
import { Details } from "./details.jsx";
import { Facts } from "./facts.jsx";
import { usePolling } from "../../pages/kit/polling.js";
import { Publication } from "./publication.jsx";
import { Stage } from "./stage.jsx";
import { Thumbnail } from "./thumbnail.jsx";
import { Unlisted } from "./unlisted.jsx";
import { uploads } from "./uploads.js";
import { actionsOf, nameOf } from "./video-rules.js";
import { createVideoStore } from "./video-store.js";
import { Why } from "./why.jsx";

/** @typedef {import("./video-store.js").VideoStore} VideoStore */
/** @typedef {import("./video-rules.js").Video} Video */

/**
 * @param {{ uuid: string, back: string, isBeside: boolean, takesFocus: boolean }} props `back`: the address of the list.
 */
export default function VideoView({ uuid, back, isBeside, takesFocus }) {
  const store = useMemo(() => createVideoStore(uuid, {
    ask: (path, options) => getTagged(`/developer/${path}`, options), failureFrom, onStatus: uploads.put,
  }, uploads.rows.peek().find((row) => row.content_uuid === uuid)), [uuid]);
  const head = useRef(/** @type {HTMLElement | null} */ (null));
  const video = store.video.value;
  usePolling(store.load, 0, `${uuid} ${video?.check_after_seconds !== null}`);
  useFocus(head, takesFocus);
  const name = video && nameOf(video);
  useEffect(() => {
    if (!name) return;
    document.title = `${name} – Clipgate`;
    return () => { document.title = "Uploads – Clipgate"; };
  }, [name]);
  return (
    <article class="video" ref={head} tabindex={-1} aria-label={name ?? "Video"} onKeyDown={(event) => {
      // Escape in a field or a dialog belongs to it.
      const isOfControl = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
      if (event.key === "Escape" && !event.defaultPrevented && !isOfControl) navigate(back);
    }}>
      <nav class="way-back" aria-label="Back">
        <Button kind="quiet" href={back}>{isBeside ? "Close" : "← Uploads"}</Button>
      </nav>
      {video ? <Page store={store} video={video} back={back} /> : <Waiting store={store} back={back} />}
    </article>
  );
}

/**
 * Beside the list, the keyboard goes on in the video that was opened, instead of at the start of the page.
 * @param {import("preact").RefObject<HTMLElement | null>} head
 * @param {boolean} takesFocus
 */
function useFocus(head, takesFocus) {
  useEffect(() => {
    if (!takesFocus) return;
    const timer = setTimeout(() => head.current?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, []);
}

/** @param {{ store: VideoStore, back: string }} props */
function Waiting({ store, back }) {
  const isBusy = useSignal(false);
  const failure = store.failure.value;
  const again = async () => {
    isBusy.value = true;
    await store.load();
    isBusy.value = false;
  };
  if (failure && isMissing(failure)) {
    return (
      <>
        <h1>Video not found</h1>
        <p class="dim">It may belong to another channel, or the link may be incomplete.</p>
        <div><Button href={back}>Show all uploads</Button></div>
      </>
    );
  }
  return (
    <>
      <div class="head" aria-busy={!failure}>
        <h1 class="unseen">Video</h1>
        {!failure && <><Skeleton width="60%" height="2rem" /><Skeleton width="30%" height="1.25rem" /></>}
      </div>
      {failure ? <FailureNote failure={failure} onRetry={again} busy={isBusy.value} /> : <div class="screen" />}
    </>
  );
}

/** @param {import("../../pages/kit/failures.js").Failure} failure */
function isMissing({ status, field }) {
  return status === 404 || field === "content_uuid";
}

/** @param {{ store: VideoStore, video: Video, back: string }} props */
function Page({ store, video, back }) {
  const may = actionsOf(video);
  const failure = store.failure.value;
  // The shell says so for every page when there is no connection or no session.
  const isOwn = failure && failure.kind !== "offline" && failure.kind !== "signed_out";
  return (
    <>
      <header class="head">
        <h1 class={video.caption?.trim() ? undefined : "dim"} dir="auto">{titleOf(video.caption)}</h1>
        <p class="row">
          <State video={video} />
          <Unlisted video={video} />
          <span class="dim">Uploaded <Time unix={video.created_at_unix} /></span>
        </p>
      </header>
      {isOwn && <FailureNote failure={failure} onRetry={store.load} />}
      <Why video={video} />
      <Appeal store={store} video={video} />
      <Stage video={video} />
      <Publication store={store} video={video} />
      {may.editOwnData && <Details store={store} video={video} />}
      {may.thumbnail && <Thumbnail store={store} video={video} />}
      {may.captions && <Captions store={store} video={video} />}
      <Facts video={video} />
      {may.remove && <DeleteVideo store={store} video={video} back={back} />}
    </>
  );
}
