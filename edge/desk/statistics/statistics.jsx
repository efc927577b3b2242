// What was decided in a month, in numbers: for the site's transparency report.
import { useEffect } from "preact/hooks";
import { announce } from "../../pages/kit/announce.js";
import { Button } from "../../pages/kit/button.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { useLoad } from "../../pages/kit/load.js";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { navigate, query } from "../../pages/kit/router.js";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { now } from "../../pages/kit/time.jsx";
import { get } from "../api.js";
import { policies, readPolicies } from "../decide/policies.js";
import { save } from "../export/save.js";
import { isEmpty, summary } from "./figures.js";
import { csvOf } from "./file.js";
import { MonthPicker } from "./month-picker.jsx";
import { isMonth, monthName, monthOf } from "./months.js";
import { Appeals, AutomaticRejections, Decisions } from "./sections.jsx";

/** @typedef {import("../types").Statistics} Statistics */

export default function StatisticsPage() {
  const current = monthOf(now.value);
  const month = query.value.get("month") ?? current;
  const isKnown = isMonth(month, current);
  const loaded = useLoad((abort) => read(isKnown ? month : null, abort), month);
  // For a moment, these are the figures of the month before.
  const data = loaded.data?.month === month ? loaded.data : null;
  useEffect(() => {
    if (policies.peek().length === 0) readPolicies().catch(() => {});
  }, []);
  return (
    <>
      <PageHead title="Statistics" action={
        <Button disabled={data === null} onClick={() => data && download(data)}>Download CSV</Button>
      }>
        The numbers of one month, for a transparency report. Months begin and end in UTC.
      </PageHead>
      <MonthPicker month={month} current={current} onChoose={(chosen) => show(chosen, current)} />
      {isKnown && (
        <div aria-busy={loaded.loading}>
          <p class="note found-by" role="status">
            {monthName(month)}{month === current && " so far"}{data !== null && !isEmpty(data) && `: ${summary(data)}`}
          </p>
          {data !== null && <Figures statistics={data} isOver={month !== current} />}
          {data === null && (loaded.failure
            ? <FailureNote failure={loaded.failure} onRetry={loaded.reload} busy={loaded.loading} />
            : <ToCome />)}
        </div>
      )}
    </>
  );
}

/** @param {string | null} month @param {AbortSignal} abort @returns {Promise<Statistics | null>} */
const read = async (month, abort) => (month === null ? null : get("/moderation/statistics", { month }, abort));

/** @param {string} month @param {string} current */
function show(month, current) {
  navigate(`/desk/statistics${month === current ? "" : `?month=${month}`}`, { replace: true });
}

/** @param {Statistics} statistics */
function download(statistics) {
  const name = `statistics-${statistics.month}.csv`;
  save(new Blob([csvOf(statistics)], { type: "text/csv" }), name);
  announce(`Saved ${name}`);
}

/** @param {{ statistics: Statistics, isOver: boolean }} props */
function Figures({ statistics, isOver }) {
  if (isEmpty(statistics)) {
    return (
      <Empty title={isOver ? "Nothing in this month" : "Nothing in this month yet"}>
        There were no automatic rejections, decisions or appeals.
      </Empty>
    );
  }
  return (
    <div class="figures">
      <Decisions decisions={statistics.decisions} />
      <div>
        <AutomaticRejections number={statistics.automatic_rejections} />
        <Appeals appeals={statistics.appeals} />
      </div>
    </div>
  );
}

function ToCome() {
  return <div class="rows-to-come">{[0, 1, 2, 3].map((at) => <Skeleton key={at} height="2.25rem" />)}</div>;
}
