// The queue, and beside it, where there is room, one case.
import { useEffect, useRef } from "preact/hooks";
import { Empty } from "../../pages/kit/empty.jsx";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { counted } from "../../pages/kit/format.js";
import { useLanding } from "../../pages/kit/landing.js";
import { lazy } from "../../pages/kit/lazy.jsx";
import { useMediaQuery } from "../../pages/kit/media-query.js";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { usePolling } from "../../pages/kit/polling.js";
import { navigate, query } from "../../pages/kit/router.js";
import { counts, failureFrom, may, online, person } from "../api.js";
import { pending } from "../decide/desk.js";
import { useCommands } from "../keys/commands.js";
import { atMost } from "../text.js";
import { countOf, FILTERS, filterOf } from "./filters.js";
import { isPassedOn, queue, selected, toggleSelected } from "./queue.js";
import { Row, RowSkeleton } from "./row.jsx";
import { Selection } from "./selection.jsx";
import { neighbour, nextCase } from "./settle.js";

const Case = lazy(() => import("../case/case.jsx"));

const POLL_SECONDS = 10;

/** @param {{ uuid: string | null }} props The case that is open, if any. */
export function Queue({ uuid }) {
  const isWide = useMediaQuery("(width >= 80rem)");
  const isLanding = useLanding(uuid);
  const filter = filterOf(query.value.get("show"));
  const search = filter.value && `?show=${filter.value}`;
  useEffect(() => {
    queue.open(filter.parts);
  }, [filter.value]);
  useEffect(() => {
    // A decision about the selection beside an open case would be one key away from the wrong videos.
    if (uuid) selected.value = new Set();
    const timer = setTimeout(() => online.peek() && Case.preload().catch(() => {}), 1000);
    return () => clearTimeout(timer);
  }, [uuid]);
  usePolling(async () => {
    await queue.refresh();
    const error = queue.failure.peek();
    return Math.max(POLL_SECONDS, (error && failureFrom(error).retryAfter) || 0);
  }, POLL_SECONDS);
  const open = (/** @type {string | undefined} */ next) => navigate(next ? `/desk/video/${next}${search}` : `/desk${search}`);
  const onward = () => open(nextCase(queue.rows.peek(), uuid, isOpenFor)?.uuid);
  useCommands(uuid ? {
    "next-row": () => step(uuid, 1, open), "previous-row": () => step(uuid, -1, open),
    "next-case": onward, close: () => open(undefined),
  } : { "next-case": onward });
  const view = uuid && (
    <Case uuid={uuid} key={uuid} back={`/desk${search}`} isBeside={isWide} takesFocus={!isLanding} onDone={onward} />
  );
  if (uuid && !isWide) return view;
  return (
    <div class={uuid ? "beside" : undefined}>
      <List uuid={uuid} filter={filter} search={search} />
      {uuid && <div class="beside-list">{view}</div>}
    </div>
  );
}

/** The case that was opened last: the keyboard goes on at its row. */
let lastOpened = /** @type {string | null} */ (null);

/** @param {HTMLElement | null} list @param {string} uuid */
function focusRow(list, uuid) {
  /** @type {HTMLElement | null | undefined} */ (list?.querySelector(`[data-uuid="${uuid}"] a`))?.focus();
}

/** Whether a row still needs this person: nobody has decided about it, and nobody else is looking. @param {import("./settle.js").Row} row */
function isOpenFor({ uuid, isGone, claim }) {
  const isClaimed = claim !== null && claim.by !== person.peek()?.name && claim.until_unix > Date.now() / 1000;
  return !isGone && !isClaimed && !isPassedOn(uuid) && !pending.about(uuid);
}

/** @param {string} uuid @param {1 | -1} by @param {(uuid: string | undefined) => void} open */
function step(uuid, by, open) {
  const row = neighbour(queue.rows.peek(), uuid, by);
  if (row) open(row.uuid);
}

/** @param {{ uuid: string | null, filter: typeof FILTERS[number], search: string }} props */
function List({ uuid, filter, search }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const focusedRow = () => document.activeElement?.closest("[data-uuid]")?.getAttribute("data-uuid") ?? null;
  const move = (/** @type {1 | -1} */ by) => {
    const row = neighbour(queue.rows.peek(), focusedRow(), by);
    if (row) focusRow(place.current, row.uuid);
  };
  useEffect(() => {
    queue.isHeld.current = () => isInUse(place.current);
    return () => {
      queue.isHeld.current = () => false;
    };
  }, []);
  useEffect(() => {
    if (uuid) revealRow(place.current, uuid);
  }, [uuid, queue.hasLoaded.value]);
  useEffect(() => {
    const left = uuid === null ? lastOpened : null;
    lastOpened = uuid;
    const timer = setTimeout(() => left && focusRow(place.current, left));
    return () => clearTimeout(timer);
  }, [uuid]);
  // With a case open, these keys lead from case to case.
  useCommands(uuid ? {} : {
    "next-row": () => move(1), "previous-row": () => move(-1),
    select: may("decide") && (() => {
      const row = focusedRow();
      if (row) toggleSelected(row);
    }),
    close: selected.value.size > 0 && (() => (selected.value = new Set())),
  });
  const rows = queue.rows.value;
  return (
    <section class="queue" ref={place} aria-label="Queue">
      <PageHead title="Queue" isBeside={uuid !== null} />
      <Filters filter={filter} uuid={uuid} />
      <Fresh />
      <Failed />
      {rows.length > 0 && (
        <ul class="queue-rows">
          {rows.map((row) => (
            <Row key={row.uuid} row={row} href={`/desk/video/${row.uuid}${search}`} isOpen={row.uuid === uuid}
              canSelect={uuid === null && may("decide")} isSelected={selected.value.has(row.uuid)} />
          ))}
        </ul>
      )}
      <End filter={filter} />
      {uuid === null && selected.value.size > 0 && <Selection />}
    </section>
  );
}

/**
 * Scrolls the list, and only the list, until a row is in view.
 * @param {HTMLElement | null} list @param {string} uuid
 */
function revealRow(list, uuid) {
  const row = list?.querySelector(`[data-uuid="${uuid}"]`)?.getBoundingClientRect();
  if (!list || !row || getComputedStyle(list).overflowY !== "auto") return;
  const view = list.getBoundingClientRect();
  const isHidden = row.top < view.top || row.bottom > Math.min(view.bottom, innerHeight);
  if (isHidden) list.scrollTop += row.top - view.top - view.height / 3;
}

/** Whether somebody points at the list, is in it with the keyboard, or has scrolled. @param {HTMLElement | null} list */
function isInUse(list) {
  const rows = list?.querySelector(".queue-rows");
  return Boolean(rows?.matches(":hover, :focus-within")) || scrollY > 0 || Boolean(list?.scrollTop);
}

/** @param {{ filter: typeof FILTERS[number], uuid: string | null }} props */
function Filters({ filter, uuid }) {
  return (
    <nav class="tabs" aria-label="What the queue shows">
      {FILTERS.map(({ value, label }) => {
        const count = countOf(value, counts.value);
        return (
          <a key={value} href={`${uuid ? `/desk/video/${uuid}` : "/desk"}${value && `?show=${value}`}`}
            aria-current={value === filter.value ? "page" : undefined}>
            {label}{count !== null && <span class="number dim">{atMost(count)}</span>}
          </a>
        );
      })}
    </nav>
  );
}

/** Says how many videos are new, and shows them. */
function Fresh() {
  const count = queue.fresh.value.length;
  return (
    <div class="fresh" role="status">{count > 0 && <Button onClick={queue.showFresh}>{count} new</Button>}</div>
  );
}

function Failed() {
  const error = queue.failure.value;
  if (!error) return null;
  const failure = failureFrom(error);
  // The shell says so for every page when there is no connection or no session.
  if (queue.hasLoaded.value && ["offline", "signed_out"].includes(failure.kind)) return null;
  return (
    <div class="queue-failure">
      <FailureNote failure={queue.hasLoaded.value ? { ...failure, what: `Not everything could be read. ${failure.what}` } : failure}
        onRetry={queue.refresh} />
    </div>
  );
}

/** What is below the rows. @param {{ filter: typeof FILTERS[number] }} props */
function End({ filter }) {
  const count = queue.rows.value.length;
  if (!queue.hasLoaded.value) {
    if (queue.failure.value) return null;
    return <div aria-busy="true">{Array.from({ length: 8 }, (_, at) => <RowSkeleton key={at} />)}</div>;
  }
  if (count === 0 && queue.failure.value) return null;
  if (count === 0) return <Nothing filter={filter} />;
  return (
    <p class="note end-of-rows">
      {counted(count, "video")}
      {queue.hasMore.value && ". More follow when these are decided."}
    </p>
  );
}

/** @param {{ filter: typeof FILTERS[number] }} props */
function Nothing({ filter }) {
  if (filter.value === "check") {
    return <Empty title="No check is missing">A video is here when a check could not run. The service tries again by itself.</Empty>;
  }
  return (
    <Empty title={filter.value === "flagged" ? "Nothing is flagged." : "Nothing waits."}>
      Videos that the checks could not decide about, and videos that viewers reported, appear here by themselves.
    </Empty>
  );
}
