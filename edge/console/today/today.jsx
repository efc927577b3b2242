// The first page: what is left of the day's quota, and the newest uploads.
import { get } from "../api.js";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { counted, number } from "../../pages/kit/format.js";
import { useLoad } from "../../pages/kit/load.js";
import { Progress } from "../../pages/kit/progress.jsx";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { now } from "../../pages/kit/time.jsx";
import { key } from "../key/current.js";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { atLeast, lastDay } from "../failed-requests/counts.js";
import { failedRequests } from "../failed-requests/store.js";
import { NEWEST, Newest } from "./newest.jsx";
import { usePolling } from "../../pages/kit/polling.js";
import { describeReset, describeUploads } from "./quota.js";

/** Videos in processing go on, and other programs upload. */
const REFRESH_SECONDS = 15;
const FAILED_SECONDS = 60;

export default function Today() {
  // Without a key, creating one is what can be done next.
  const kind = key.value === null ? "plain" : "main";
  return (
    <>
      <PageHead title="Today" action={<Button kind={kind} href="/console/upload">Upload video</Button>}>
        <Summary />
      </PageHead>
      {key.value === null && <FirstKey />}
      <Figures />
    </>
  );
}

function Figures() {
  const limits = useLoad((signal) => get("/developer/upload_limits", {}, signal));
  const uploads = useLoad((signal) => get("/developer/uploads", { limit: NEWEST }, signal));
  const reload = () => Promise.all([limits.reload(), uploads.reload()]);
  usePolling(async () => {
    await reload();
    return REFRESH_SECONDS;
  }, REFRESH_SECONDS);
  const isNothing = limits.failure && uploads.failure && !limits.data && !uploads.data;
  // One cause is told once.
  if (isNothing && limits.failure) {
    return <FailureNote failure={limits.failure} onRetry={reload} busy={limits.loading} />;
  }
  return <div class="today"><Quota of={limits} /><Newest of={uploads} /></div>;
}

/** One line about the page; the requests that failed today, if any did. */
function Summary() {
  usePolling(async () => {
    await failedRequests.refresh();
    return FAILED_SECONDS;
  }, 0);
  const report = failedRequests.report.value;
  const count = report ? lastDay(report, now.value) : 0;
  // Both texts take as many lines, so that nothing moves.
  if (count === 0) return "Today's remaining quota and your newest uploads.";
  const requests = atLeast(count, report?.is_complete ?? true, "request");
  return <><a href="/console/failed-requests">{requests} from your programs failed</a> in the last 24 hours.</>;
}

function FirstKey() {
  return (
    <section class="panel first-key" aria-labelledby="first-key">
      <div>
        <h2 id="first-key">Upload from your code</h2>
        <p class="dim">Create an API key to publish videos to your channel from your programs.</p>
      </div>
      <Button kind="main" href="/console/key">Create an API key</Button>
    </section>
  );
}

/** @param {{ of: ReturnType<typeof useLoad<import("./quota.js").Limits>> }} props */
function Quota({ of: { data: limits, failure, loading, reload } }) {
  if (failure && !limits) return <FailureNote failure={failure} onRetry={reload} busy={loading} />;
  if (!limits) return <Skeleton height="var(--quota-height)" />;
  const { left, tone } = describeUploads(limits);
  const reset = describeReset(limits.changes_reset_time_unix, now.value);
  return (
    <section class="quota" aria-label="Today's quota">
      <div class="uploads-left">
        <p class="big number" aria-hidden="true">
          <b class={tone}>{number(limits.remaining)}</b> of {counted(limits.limit_amount, "upload")} left
        </p>
        <Progress value={limits.remaining} most={limits.limit_amount} tone={tone} label="Uploads left today"
          text={left} />
        <p class="note"><span class="unseen">{left}. </span>Resets {reset}.</p>
      </div>
      <dl class="facts">
        <div>
          <dt>Uploads in progress</dt>
          <dd class="number">{number(limits.open_uploads)} of {number(limits.max_open_uploads)}</dd>
        </div>
        <div>
          <dt>Requests</dt>
          <dd>{number(limits.max_requests)} per {counted(limits.request_period_seconds, "second")}</dd>
        </div>
        <div>
          <dt>Changes left</dt>
          <dd class="number">{number(limits.remaining_changes)} of {number(limits.max_daily_changes)}</dd>
        </div>
      </dl>
    </section>
  );
}
