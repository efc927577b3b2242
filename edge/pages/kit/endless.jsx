import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { failureFrom } from "./requests.js";
import { FailureNote } from "./failure.jsx";
import { counted } from "./format.js";
import { nextPause } from "./pause.js";
import { usePolling } from "./polling.js";
import { Rows } from "./rows.jsx";
import { Skeleton } from "./skeleton.jsx";

/** @typedef {import("preact").ComponentChildren} Children */
/** @typedef {ReturnType<typeof import("./feed.js").createFeed<any>>} Feed */

/**
 * Loads a list, and keeps it up to date while somebody can see it. Returns why it may be out of date.
 * @param {Feed} feed
 * @param {{ isHeld?: boolean }} [options] `isHeld`: the list stays as it is, for example because it may be deleted now.
 */
export function useFollow(feed, { isHeld = false } = {}) {
  const stale = useSignal(/** @type {import("./failures.js").Failure | null} */ (null));
  const pause = useRef(0);
  const wakes = feed.wakes.value;
  useEffect(() => {
    if (!feed.hasLoaded.peek()) feed.load();
  }, [feed]);
  useEffect(() => {
    pause.current = 0;
  }, [wakes]);
  usePolling(async () => {
    try {
      const hasChanged = !isHeld && (await feed.refresh());
      pause.current = nextPause(pause.current, { hasChanged });
      stale.value = null;
    } catch (error) {
      stale.value = failureFrom(error);
      pause.current = nextPause(pause.current, { hasChanged: false, retryAfter: stale.value.retryAfter ?? 0 });
    }
    return pause.current;
  }, feed.hasLoaded.peek() && !wakes ? 0 : 1, wakes);
  // The shell says so for every page when there is no connection or no session.
  return ["offline", "signed_out"].includes(stale.value?.kind ?? "") ? null : stale.value;
}

/** Says that a list could not be read again. @param {{ of: import("./failures.js").Failure | null }} props */
export function Stale({ of }) {
  if (!of) return null;
  return <p class="bar" role="status">What you see may be out of date. {of.what}</p>;
}

/**
 * The rows of a list, and below them what its state is. More rows are read before the end of the page is in view.
 * @param {{ feed: Feed, one: string, many?: string, empty: Children, children: (row: any) => Children }} props
 *   `one` and `many`: what the list counts. `children` draws a row.
 */
export function Endless({ feed, one, many, empty, children }) {
  const count = feed.rows.value.length;
  if (feed.isAtEnd.value && count === 0) return <>{empty}</>;
  return (
    <>
      {count > 0 && <Rows rows={feed.rows.value}>{children}</Rows>}
      <End feed={feed} label={counted(count, one, many)} />
    </>
  );
}

/** @param {{ feed: Feed, label: string }} props */
function End({ feed, label }) {
  const sight = useRef(/** @type {HTMLDivElement | null} */ (null));
  const count = feed.rows.value.length;
  useEffect(() => {
    if (!sight.current) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting && feed.hasLoaded.peek() && !feed.failure.peek()) feed.load();
    }, { rootMargin: "800px" });
    observer.observe(sight.current);
    return () => observer.disconnect();
  }, [feed, count]);
  if (feed.failure.value) {
    return <FailureNote failure={failureFrom(feed.failure.value)} onRetry={feed.load} busy={feed.isLoading.value} />;
  }
  if (feed.isAtEnd.value) return <p class="note end-of-rows">{label}</p>;
  const places = Array.from({ length: count ? 2 : 6 }, (_, at) => <Skeleton key={at} height="2.25rem" />);
  return <div class="rows-to-come" ref={sight} aria-busy="true">{places}</div>;
}
