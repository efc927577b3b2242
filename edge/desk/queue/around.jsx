// What is above and below the rows: filters, news, failures, and what an empty queue means.
import { Button } from "../../pages/kit/button.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { counted } from "../../pages/kit/format.js";
import { counts, failureFrom } from "../api.js";
import { atMost } from "../text.js";
import { countOf, FILTERS } from "./filters.js";
import { queue } from "./queue.js";
import { RowSkeleton } from "./row.jsx";
import { shownRows } from "./shown.js";

/** @typedef {import("./filters.js").Filter} Filter */

const PARTLY = "Part of the queue could not be loaded.";

/** @param {{ filter: Filter, uuid: string | null }} props */
export function Filters({ filter, uuid }) {
  return (
    <nav class="tabs" aria-label="Queue filters">
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
export function Fresh() {
  const count = queue.fresh.value.length;
  return (
    <div class="fresh" role="status">{count > 0 && <Button onClick={queue.showFresh}>{count} new</Button>}</div>
  );
}

export function Failed() {
  const error = queue.failure.value;
  if (!error) return null;
  const failure = failureFrom(error);
  // The shell says so for every page when there is no connection or no session.
  if (queue.hasLoaded.value && ["offline", "signed_out"].includes(failure.kind)) return null;
  return (
    <div class="queue-failure">
      <FailureNote failure={queue.hasLoaded.value ? { ...failure, what: `${PARTLY} ${failure.what}` } : failure}
        onRetry={queue.refresh} />
    </div>
  );
}

/** What is below the rows. @param {{ filter: Filter }} props */
export function End({ filter }) {
  const count = queue.rows.value.length;
  if (!queue.hasLoaded.value) {
    if (queue.failure.value) return null;
    return <div aria-busy="true">{Array.from({ length: 8 }, (_, at) => <RowSkeleton key={at} />)}</div>;
  }
  if (count === 0 && queue.failure.value) return null;
  if (count === 0) return <Nothing filter={filter} />;
  const rows = shownRows.value.length;
  return (
    <p class="note end-of-rows">
      {counted(count, "video")}{rows < count && ` in ${counted(rows, "row")}`}
      {queue.hasMore.value && ". More appear as you decide these."}
    </p>
  );
}

/** @param {{ filter: Filter }} props */
function Nothing({ filter }) {
  if (filter.value === "check") {
    return (
      <Empty title="No videos waiting for a check">
        A video is listed here if a check could not run. The service retries the check automatically.
      </Empty>
    );
  }
  if (filter.value === "appeals") {
    return (
      <Empty title="No pending appeals">
        An owner can appeal once against a moderator's rejection or takedown. The video is listed here until another
        moderator decides.
      </Empty>
    );
  }
  return (
    <Empty title={filter.value === "flagged" ? "Nothing is flagged" : "Nothing is waiting"}>
      Videos that the checks could not decide on, that viewers reported, or whose owners appealed appear here
      automatically.
    </Empty>
  );
}
