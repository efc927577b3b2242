// A case: everything that speaks for or against one video, then the video, then the decision.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { titleOf } from "../../pages/kit/format.js";
import { usePolling } from "../../pages/kit/polling.js";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { failureFrom, get, online, signedOut } from "../api.js";
import { queue } from "../queue/queue.js";
import { keepAddresses } from "./addresses.js";
import { Opened } from "./opened.jsx";
import { useClaim } from "./use-claim.js";

/** @typedef {import("../types").Case} CaseData */

/** A case that somebody else has is read again, to see when it is free. */
const WATCH_SECONDS = 15;
const now = () => Date.now() / 1000;

/**
 * @param {{ uuid: string, back: string, isBeside: boolean, takesFocus: boolean, onDone: () => void }} props
 *   `back`: the address of the queue. `onDone` opens the next case.
 */
export default function Case({ uuid, back, isBeside, takesFocus, onDone }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const read = useSignal(/** @type {{ of: CaseData, readAt: number } | null} */ (null));
  const failure = useSignal(/** @type {import("../../pages/kit/failures.js").Failure | null} */ (null));
  const claim = useClaim(uuid, read.value !== null, () => load());
  const load = async ({ isNew = false } = {}) => {
    try {
      const body = await get("/moderation/case", { content_uuid: uuid });
      read.value = keepAddresses(isNew ? null : read.peek(), body, now());
      claim.note(body.claim);
      failure.value = null;
    } catch (error) {
      failure.value = failureFrom(error);
    }
  };
  const isBack = online.value && !signedOut.value;
  useEffect(() => {
    if (isBack) load();
  }, [uuid, isBack]);
  const isListed = queue.rows.value.some((row) => row.uuid === uuid && !row.isGone);
  const wasListed = useRef(isListed);
  useEffect(() => {
    // Somebody else has decided: the case shows what.
    if (wasListed.current && !isListed) load();
    wasListed.current = isListed;
  }, [isListed]);
  const isOthers = claim.other.value !== null;
  usePolling(async () => {
    if (isOthers) await load();
    return isOthers ? WATCH_SECONDS : null;
  }, WATCH_SECONDS, isOthers);
  useEffect(() => {
    const timer = setTimeout(() => takesFocus && place.current?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, []);
  const title = read.value && titleOf(read.value.of.content.caption);
  useEffect(() => {
    if (title) document.title = `${title} – Clipgate`;
  }, [title]);
  return (
    <article class="case" ref={place} tabindex={-1} aria-label={title ?? "Case"}>
      <nav class="way-back" aria-label="Back">
        <Button kind="quiet" href={back}>{isBeside ? "Close" : "← Queue"}</Button>
      </nav>
      {read.value
        ? <Opened data={read.value.of} claim={claim} failure={failure.value} load={load} onDone={onDone} />
        : <Waiting failure={failure.value} onRetry={load} back={back} />}
    </article>
  );
}

/** @param {{ failure: import("../../pages/kit/failures.js").Failure | null, onRetry: () => void, back: string }} props */
function Waiting({ failure, onRetry, back }) {
  if (failure && (failure.status === 404 || failure.field === "content_uuid")) {
    return (
      <>
        <h1>Video not found</h1>
        <p class="dim">The link may be incomplete.</p>
        <div><Button href={back}>Go to the queue</Button></div>
      </>
    );
  }
  return (
    <>
      <div class="case-head" aria-busy={!failure}>
        <h1 class="unseen">Case</h1>
        {!failure && (
          <><Skeleton width="60%" height="2rem" /><Skeleton width="30%" height="1.25rem" /><Skeleton height="6rem" /></>
        )}
      </div>
      {failure && <FailureNote failure={failure} onRetry={onRetry} />}
    </>
  );
}
