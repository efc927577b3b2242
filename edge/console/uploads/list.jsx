// The uploads: the list, and beside it, where there is room, one video.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { failureFrom, online } from "../api.js";
import { Button } from "../../pages/kit/button.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { counted } from "../../pages/kit/format.js";
import { useLanding } from "../../pages/kit/landing.js";
import { lazy } from "../../pages/kit/lazy.jsx";
import { nextPause } from "../../pages/kit/pause.js";
import { usePolling } from "../../pages/kit/polling.js";
import { navigate, path, query } from "../../pages/kit/router.js";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { FilterBar } from "./filter-bar.jsx";
import { hasFilters, NO_FILTERS, readFilters, writeFilters } from "./filters.js";
import { useMediaQuery } from "../../pages/kit/media-query.js";
import { forgetPlace, noteOpened, RowList } from "./row-list.jsx";
import { RowSkeleton } from "./row.jsx";
import { uploads } from "./uploads.js";

/** @typedef {import("./video-rules.js").Video} Video */
/** @typedef {import("./filters.js").Filters} Filters */

const VideoView = lazy(() => import("./video.jsx"));

/** @param {{ uuid: string | null }} props The video that is open, if any. */
export default function Uploads({ uuid }) {
  const isWide = useMediaQuery("(width >= 80rem)");
  const isLanding = useLanding(uuid);
  usePreload(VideoView.preload);
  useEffect(() => {
    if (uuid) noteOpened(uuid);
  }, [uuid]);
  const filters = readFilters(`${query.value}`);
  const back = `/console/uploads${writeFilters(filters)}`;
  if (uuid && !isWide) return <VideoView uuid={uuid} key={uuid} back={back} isBeside={false} takesFocus={false} />;
  return (
    <div class={uuid ? "beside" : undefined}>
      <List uuid={uuid} filters={filters} />
      {uuid && (
        <div class="beside-list">
          <VideoView uuid={uuid} key={uuid} back={back} isBeside takesFocus={!isLanding} />
        </div>
      )}
    </div>
  );
}

/**
 * Loads a script that the next click will want, once the page is there.
 * @param {() => Promise<unknown>} load
 */
function usePreload(load) {
  useEffect(() => {
    // A script that could not be loaded is not asked for again before the next page, so nothing is risked offline.
    const timer = setTimeout(() => online.peek() && load().catch(() => {}), 1500);
    return () => clearTimeout(timer);
  }, []);
}

/** @param {{ uuid: string | null, filters: Filters }} props */
function List({ uuid, filters }) {
  const scroller = useRef(/** @type {HTMLElement | null} */ (null));
  const text = writeFilters(filters);
  useEffect(() => {
    const before = uploads.filters.peek();
    if (before && writeFilters(before) !== text) forgetPlace();
    uploads.open(filters);
  }, [text]);
  const inView = useNews(scroller);
  /** @param {Filters} wanted */
  const change = (wanted) => navigate(`${path.value}${writeFilters(wanted)}`, { replace: true });
  const seen = (/** @type {Video[]} */ rows, /** @type {boolean} */ isNearEnd) => {
    inView.current = rows;
    if (isNearEnd && !uploads.failure.peek() && uploads.hasLoaded.peek()) uploads.load();
  };
  const rows = uploads.rows.value;
  const isEmpty = uploads.isAtEnd.value && rows.length === 0 && !hasFilters(filters);
  const action = !isEmpty && <Button kind={uuid ? "plain" : "main"} href="/console/upload">Upload video</Button>;
  return (
    <section class="list-of-uploads" ref={scroller} aria-label="Uploads">
      <PageHead title="Uploads" action={action} isBeside={uuid !== null} />
      <FilterBar filters={filters} onChange={change} />
      <Fresh onShow={() => toTop(scroller.current)} />
      {rows.length > 0 && <RowList rows={rows} isComplete={uploads.isAtEnd.value} selected={uuid} scroller={scroller}
        hrefOf={(video) => `/console/uploads/${video.content_uuid}${text}`} onView={seen} />}
      <End filters={filters} onClear={() => change(NO_FILTERS)} />
    </section>
  );
}

/**
 * Keeps the list up to date while it is seen. Returns where the rows in view are to be put.
 * @param {import("preact").RefObject<HTMLElement | null>} scroller
 */
function useNews(scroller) {
  const inView = useRef(/** @type {Video[]} */ ([]));
  const pause = useRef(0);
  usePolling(async () => {
    try {
      const hasChanged = await uploads.refresh(inView.current, Date.now() / 1000);
      // Nothing moves under the eyes or the pointer of somebody who reads: then a button says how many are new.
      if (uploads.fresh.peek().length && isIdleAtTop(scroller.current)) await uploads.showFresh();
      pause.current = nextPause(pause.current, { hasChanged });
    } catch (error) {
      pause.current = nextPause(pause.current, { hasChanged: false, retryAfter: failureFrom(error).retryAfter ?? 0 });
    }
    return pause.current;
  }, uploads.hasLoaded.peek() ? 0 : 2);
  return inView;
}

/** @param {HTMLElement | null} scroller */
function isIdleAtTop(scroller) {
  const list = scroller?.querySelector(".uploads");
  return scrollY === 0 && !scroller?.scrollTop && !list?.matches(":hover, :focus-within");
}

/** @param {HTMLElement | null} scroller */
function toTop(scroller) {
  scroller?.scrollTo({ top: 0, behavior: "instant" });
  scrollTo({ top: 0, behavior: "instant" });
}

/** Says how many videos are new, and shows them. @param {{ onShow: () => void }} props */
function Fresh({ onShow }) {
  const count = uploads.fresh.value.length;
  const show = async () => {
    await uploads.showFresh();
    onShow();
  };
  return (
    <div class="fresh" role="status">
      {count > 0 && <Button onClick={show}>{uploads.hasGap.value ? "New uploads" : `${count} new`}</Button>}
    </div>
  );
}

/** What is below the rows. @param {{ filters: Filters, onClear: () => void }} props */
function End({ filters, onClear }) {
  const isBusy = useSignal(false);
  const again = async () => {
    isBusy.value = true;
    await uploads.load();
    isBusy.value = false;
  };
  if (uploads.failure.value) {
    const failure = failureFrom(uploads.failure.value);
    return <div class="end"><FailureNote failure={failure} onRetry={again} busy={isBusy.value} /></div>;
  }
  const count = uploads.rows.value.length;
  if (uploads.isAtEnd.value && count === 0) return <Nothing filters={filters} onClear={onClear} />;
  if (uploads.isAtEnd.value) {
    return <p class="end note">{counted(count, "upload")}{hasFilters(filters) && " with these filters"}</p>;
  }
  const places = Array.from({ length: count ? 3 : 8 }, (_, at) => <RowSkeleton key={at} />);
  return (
    <div class="end" aria-busy="true">
      {places}
      {uploads.isWaiting.value && <p class="note" role="status">Too many requests. More uploads load in a moment.</p>}
    </div>
  );
}

/** @param {{ filters: Filters, onClear: () => void }} props */
function Nothing({ filters, onClear }) {
  if (hasFilters(filters)) {
    return (
      <Empty title="No uploads with these filters" action={<Button onClick={onClear}>Clear filters</Button>}>
        {filters.external_id ? "The external ID must match exactly."
          : "Try another state or date range."}
      </Empty>
    );
  }
  return (
    <Empty title="No uploads yet" action={<Button kind="main" href="/console/upload">Upload video</Button>}>
      Videos that you or your programs upload appear here.
    </Empty>
  );
}
