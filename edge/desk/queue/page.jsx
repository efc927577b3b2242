// The queue, and beside it, where there is room, one case.
import { useEffect } from "preact/hooks";
import { useLanding } from "../../pages/kit/landing.js";
import { lazy } from "../../pages/kit/lazy.jsx";
import { useMediaQuery } from "../../pages/kit/media-query.js";
import { usePolling } from "../../pages/kit/polling.js";
import { navigate, query } from "../../pages/kit/router.js";
import { failureFrom, online, person } from "../api.js";
import { pending } from "../decide/desk.js";
import { useCommands } from "../keys/commands.js";
import { filterOf } from "./filters.js";
import { claimOfOther } from "./fold.js";
import { List } from "./list.jsx";
import { isPassedOn, queue, selected } from "./queue.js";
import { shownRows } from "./shown.js";
import { neighbour, nextCase } from "./steps.js";

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
    return Math.max(POLL_SECONDS, error ? failureFrom(error).retryAfter ?? 0 : 0);
  }, POLL_SECONDS);
  const open = (/** @type {string | undefined} */ next) =>
    navigate(next ? `/desk/video/${next}${search}` : `/desk${search}`);
  const onward = () => open(nextCase(shownRows.peek(), uuid, isOpenFor)?.uuid);
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

/**
 * Whether a row still needs this person: nobody has decided about it, nobody else is looking at any of its videos, and
 * it is not an appeal against a decision of this person.
 * @param {import("./fold.js").ShownRow} row
 */
function isOpenFor({ uuid, members, isGone, flag, appeal }) {
  const me = person.peek()?.name;
  const isClaimed = claimOfOther(members, me, Date.now() / 1000) !== null;
  const isOwn = appeal !== null && appeal.decidedBy === me && flag === null;
  const isHandedOver = members.some((member) => isPassedOn(member.uuid));
  return !isGone && !isClaimed && !isOwn && !isHandedOver && !pending.about(uuid);
}

/** @param {string} uuid @param {1 | -1} by @param {(uuid: string | undefined) => void} open */
function step(uuid, by, open) {
  const row = neighbour(shownRows.peek(), uuid, by);
  if (row) open(row.uuid);
}
