// The requests of the owner's programs that failed, by their error codes.

import { useEffect, useRef } from "preact/hooks";
import { online, settings, signedOut } from "../api.js";
import { Empty } from "../../pages/kit/empty.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { number } from "../../pages/kit/format.js";
import { useLanding } from "../../pages/kit/landing.js";
import { usePolling } from "../../pages/kit/polling.js";
import { Prose } from "../../pages/kit/prose.jsx";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { now, Time } from "../../pages/kit/time.jsx";
import { query } from "../../pages/kit/router.js";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { useMediaQuery } from "../../pages/kit/media-query.js";
import { readMeanings, UNKNOWN } from "./catalogue.js";
import { Bars } from "./chart.jsx";
import { GroupView } from "./group.jsx";
import { combine, groupsOf } from "./groups.js";
import { failedRequests } from "./store.js";
import errors from "../../../docs/errors.md";

/** @typedef {import("./counts.js").Report} Report */
/** @typedef {import("./groups.js").Group} Group */

const MEANINGS = readMeanings(errors);
const meaningOf = (/** @type {string} */ code) => MEANINGS.get(code) ?? UNKNOWN;

/** The hours of a bar in the small chart of a group. */
const SMALL_BAR_HOURS = 6;

export default function FailedRequests() {
  const report = failedRequests.report.value;
  const failure = failedRequests.failure.value;
  usePolling(failedRequests.refresh, 0, `${online.value} ${signedOut.value}`);
  const isWide = useMediaQuery("(width >= 80rem)");
  const code = query.value.get("code");
  useWayBack(code);
  const isLanding = useLanding(code);
  const groups = report ? groupsOf(report, now.value) : [];
  const shown = code && report && (
    <GroupView code={code} key={code} group={groups.find((group) => group.code === code) ?? null} report={report}
      meaning={meaningOf(code)} isBeside={isWide} isDay={query.value.get("period") === "day"}
      takesFocus={!isLanding} />
  );
  // The shell says so for every page when there is no connection or no session.
  const isOwn = failure && (!report || !["offline", "signed_out"].includes(failure.kind));
  const note = isOwn && <FailureNote failure={failure} onRetry={failedRequests.refresh} />;
  if (shown && !isWide) return <>{note}{shown}</>;
  return (
    <div class={shown ? "beside-group" : undefined}>
      <section class="failures" aria-label="Failed requests">
        <PageHead title="Failed requests">
          Requests from your programs that the service rejected or could not handle.
        </PageHead>
        {note}
        {report && <Groups report={report} groups={groups} selected={code} />}
        {!report && !failure && <Loading />}
        {report && <Elsewhere />}
      </section>
      {shown}
    </div>
  );
}

/** After a group is closed, the keyboard goes on at its row. @param {string | null} code */
function useWayBack(code) {
  const before = useRef(code);
  useEffect(() => {
    const row = code === null && before.current !== null && document.querySelector(`[data-code="${before.current}"]`);
    before.current = code;
    if (row instanceof HTMLElement) row.focus({ preventScroll: true });
  }, [code]);
}

function Loading() {
  return (
    <div class="groups" aria-busy="true">
      {Array.from({ length: 4 }, (_, at) => <Skeleton key={at} height="3.5rem" />)}
    </div>
  );
}

/** @param {{ report: Report, groups: Group[], selected: string | null }} props */
function Groups({ report, groups, selected }) {
  if (groups.length === 0) {
    return (
      <Empty title="No failed requests in the last 7 days">
        When a request from one of your programs is rejected, it appears here within seconds, with its error code and
        how to fix it.
      </Empty>
    );
  }
  return (
    <>
      {!report.is_complete && (
        <p class="bar" role="status">
          Too many requests failed to count them all. The actual numbers are higher.
        </p>
      )}
      <ul class="groups">
        {groups.map((group) => (
          <li key={group.code}><GroupRow group={group} isSelected={group.code === selected} /></li>
        ))}
      </ul>
    </>
  );
}

/** @param {{ group: Group, isSelected: boolean }} props */
function GroupRow({ group, isSelected }) {
  return (
    <a class="group-row" href={`/console/failed-requests?code=${encodeURIComponent(group.code)}`}
      data-code={group.code} aria-current={isSelected ? "true" : undefined}>
      <span class="texts">
        <code class="cut">{group.code}</code>
        <span class="cut note"><Prose text={meaningOf(group.code).what} /></span>
      </span>
      <span class="small-chart"><Bars bars={combine(group.hours, SMALL_BAR_HOURS)} /></span>
      <span class="counts number">
        <span><b>{number(group.week)}</b> <span class="dim">in 7 days</span></span>
        <span class="dim">{number(group.day)} in 24 hours</span>
      </span>
      <span class="when dim"><span class="unseen">last </span><Time unix={group.lastSeen} /></span>
    </a>
  );
}

/** What cannot be listed, and what to check then. */
function Elsewhere() {
  const at = settings.value;
  const docs = `${at?.site_url ?? ""}/docs/errors/api_key_invalid`;
  return (
    <section class="section elsewhere" aria-labelledby="elsewhere">
      <h2 id="elsewhere">If your program gets an error that is not listed</h2>
      <ul class="says">
        <li>
          <b>Unknown key.</b> A request with an unknown key does not belong to any channel, so it is not listed. If your
          program gets <a href={docs} target="_blank"><code>api_key_invalid</code></a>, compare the key it sends with
          the hint on the <a href="/console/key">API key</a> page. A deleted key no longer works. After a rotation, the
          old key works only as long as you chose.
        </li>
        <li>
          <b>No response.</b> The request did not reach the service. Check that it goes
          to <code class="words">{at?.upload_url}</code>.
        </li>
        <li><b>A video that failed later.</b> Its request succeeded. See <a href="/console/uploads">Uploads</a>.</li>
      </ul>
    </section>
  );
}
