// Who did what, when, why and from where. Nothing in it can be changed.
import { Button } from "../../pages/kit/button.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { counted, number } from "../../pages/kit/format.js";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { navigate, query } from "../../pages/kit/router.js";
import { Time } from "../../pages/kit/time.jsx";
import { get } from "../api.js";
import { ExportBar, useExport } from "../export/export.jsx";
import { usePages } from "../pages.js";
import { PagesEnd } from "../pages-end.jsx";
import { choices, filtered } from "./filters.js";
import { ACTIONS, describeActor, describeSubject, wordOf } from "./words.js";

/** @typedef {import("../types").TrailEntry} TrailEntry */

const JSON_LINES = { name: "audit-log.jsonl", type: "application/x-ndjson",
  write: (/** @type {TrailEntry} */ _, /** @type {string} */ line) => line };

export default function AuditLog() {
  const filter = { action: query.value.get("action") ?? "", actor: query.value.get("by") ?? "" };
  const pages = usePages(async (cursor) => {
    const { entries, next_cursor } = await get("/trail", { cursor });
    return { rows: /** @type {TrailEntry[]} */ (entries), next: next_cursor };
  }, "");
  const file = useExport({ path: "/internal/trail/export", placeOf: (row) => row.number });
  const rows = filtered(pages.rows, filter);
  const isFiltered = filter.action !== "" || filter.actor !== "";
  return (
    <>
      <PageHead title="Audit log"
        action={<Button busy={file.isRunning} onClick={() => file.start(JSON_LINES)}>Export</Button>}>
        Who did what, when, why and from where, newest first. Entries cannot be changed or deleted.
      </PageHead>
      <Filters filter={filter} entries={pages.rows} />
      <ExportBar of={file} one="entry" many="entries" />
      {isFiltered && pages.hasLoaded && (
        <p class="note found-by" role="status">
          {number(rows.length)} of {counted(pages.rows.length, "loaded entry", "loaded entries")}.
          {pages.hasMore && " Only loaded entries are filtered. “Show more” loads older ones; an export has all."}
        </p>
      )}
      <ul class="decisions in-columns wide-by">{rows.map((entry) => <Row key={entry.number} entry={entry} />)}</ul>
      <PagesEnd pages={pages} one="entry" many="entries" empty={
        <Empty title="No entries yet">Every decision and every change to a token or a key is recorded here.</Empty>
      } />
    </>
  );
}

/** @param {{ filter: { action: string, actor: string }, entries: TrailEntry[] }} props */
function Filters({ filter, entries }) {
  const show = (/** @type {string} */ action, /** @type {string} */ by) => {
    const search = new URLSearchParams({ ...(action && { action }), ...(by && { by }) });
    navigate(`/desk/audit${search.size ? `?${search}` : ""}`, { replace: true });
  };
  const { action, actor } = filter;
  return (
    <div class="row search filters" role="search" aria-label="Filter the audit log">
      <select class="input" aria-label="Action" value={action}
        onInput={(event) => show(event.currentTarget.value, actor)}>
        <option value="">All actions</option>
        {choices([...Object.keys(ACTIONS), ...entries.map((entry) => entry.action)], action, wordOf)
          .map(({ value, label }) => <option key={value} value={value}>{label}</option>)}
      </select>
      <select class="input" aria-label="Person" value={actor}
        onInput={(event) => show(action, event.currentTarget.value)}>
        <option value="">Everyone</option>
        {choices(entries.map((entry) => entry.actor), actor, describeActor)
          .map(({ value, label }) => <option key={value} value={value}>{label}</option>)}
      </select>
      {(action || actor) && <Button kind="quiet" onClick={() => show("", "")}>All entries</Button>}
    </div>
  );
}

/** @param {{ entry: TrailEntry }} props */
function Row({ entry }) {
  const { name, of, href } = describeSubject(entry.subject);
  const id = of && <bdi>{of}</bdi>;
  return (
    <li>
      <p class="what">{wordOf(entry.action)}</p>
      {entry.detail !== null && <p class="said reason" dir="auto">{entry.detail}</p>}
      <p class="note whole about">{name} {href ? <a href={href}>{id}</a> : id}</p>
      <div class="by note">
        <p><bdi>{describeActor(entry.actor)}</bdi>, <Time unix={entry.happened_at_unix} /></p>
        {entry.route === null ? <p>By the service</p> : (
          <p class="whole"><code>{entry.route}</code>{entry.network && <> from {entry.network}</>}</p>
        )}
      </div>
    </li>
  );
}
