// Who did what, when, why and from where. Nothing in it can be changed.
import { useRef } from "preact/hooks";
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
import { addressOf, choices, filtered, filterOf, splitFilter } from "./filters.js";
import { ACTIONS, describeActor, describeSubject, wordOf } from "./words.js";

/** @typedef {import("../types").TrailEntry} TrailEntry */
/** @typedef {import("./filters.js").Filter} Filter */

const JSON_LINES = { name: "audit-log.jsonl", type: "application/x-ndjson",
  write: (/** @type {TrailEntry} */ _, /** @type {string} */ line) => line };

export default function AuditLog() {
  const filter = filterOf(query.value);
  const { asked, rest } = splitFilter(filter);
  const pages = usePages(async (cursor) => {
    const { entries, next_cursor } = await get("/trail", { ...asked, cursor });
    return { rows: /** @type {TrailEntry[]} */ (entries), next: next_cursor };
  }, JSON.stringify(asked));
  // Entries filtered by person name nobody else, so remember the people seen before.
  const actors = useRef(/** @type {Set<string>} */ (new Set()));
  for (const { actor } of pages.rows) actors.current.add(actor);
  const file = useExport({ path: "/internal/trail/export", placeOf: (row) => row.number });
  const rows = filtered(pages.rows, rest);
  const isFilteredHere = rest.action !== "" || rest.actor !== "";
  return (
    <>
      <PageHead title="Audit log"
        action={<Button busy={file.isRunning} onClick={() => file.start(JSON_LINES)}>Export</Button>}>
        Who did what, when, why and from where, newest first. Entries cannot be changed or deleted.
      </PageHead>
      <Filters filter={filter} actions={pages.rows.map(({ action }) => action)} actors={actors.current} />
      <ExportBar of={file} one="entry" many="entries" />
      {filter.subject && <Subject filter={filter} />}
      {isFilteredHere && pages.hasLoaded && (
        <p class="note found-by" role="status">
          {number(rows.length)} of {counted(pages.rows.length, "loaded entry", "loaded entries")}.
          {pages.hasMore && ` ${limitOf(rest)} “Show more” loads older ones; an export has all.`}
        </p>
      )}
      <ul class="decisions in-columns wide-by">{rows.map((entry) => <Row key={entry.number} entry={entry} />)}</ul>
      <PagesEnd pages={pages} one="entry" many="entries" empty={<NoEntries filter={filter} />} />
    </>
  );
}

/** Which filters apply only to what is loaded. @param {{ action: string, actor: string }} rest */
function limitOf({ action, actor }) {
  const names = [action && "action", actor && "person"].filter(Boolean).join(" and ");
  return `Only loaded entries are filtered by ${names}.`;
}

/** @param {{ filter: Filter }} props */
function NoEntries({ filter: { actor, subject } }) {
  if (subject) return <Empty title="No entries about this">Nothing was recorded about it.</Empty>;
  if (actor) return <Empty title="No entries by this person">Check the name, or choose another person.</Empty>;
  return <Empty title="No entries yet">Every decision and every change to a token or a key is recorded here.</Empty>;
}

/** @param {Filter} filter */
const show = (filter) => navigate(addressOf(filter), { replace: true });

/** @param {{ filter: Filter, actions: string[], actors: Set<string> }} props */
function Filters({ filter, actions, actors }) {
  const { action, actor, subject } = filter;
  return (
    <div class="row search filters" role="search" aria-label="Filter the audit log">
      <select class="input" aria-label="Action" value={action}
        onInput={(event) => show({ ...filter, action: event.currentTarget.value })}>
        <option value="">All actions</option>
        {choices([...Object.keys(ACTIONS), ...actions], action, wordOf)
          .map(({ value, label }) => <option key={value} value={value}>{label}</option>)}
      </select>
      <select class="input" aria-label="Person" value={actor}
        onInput={(event) => show({ ...filter, actor: event.currentTarget.value })}>
        <option value="">Everyone</option>
        {choices(actors, actor, describeActor)
          .map(({ value, label }) => <option key={value} value={value}>{label}</option>)}
      </select>
      {(action || actor || subject) && (
        <Button kind="quiet" onClick={() => show({ action: "", actor: "", subject: "" })}>All entries</Button>
      )}
    </div>
  );
}

/** What the entries are about, if a link has chosen that. @param {{ filter: Filter }} props */
function Subject({ filter }) {
  const { name, of, href } = describeSubject(filter.subject);
  return (
    <p class="found-by">
      <span class="chosen about-one">
        <span class="cut">
          <span class="dim">About</span> {name.toLowerCase()} {href ? <a href={href}><bdi>{of}</bdi></a> : <bdi>{of}</bdi>}
        </span>
        <Button kind="quiet" icon aria-label="Remove this filter" title="Remove this filter"
          onClick={() => show({ ...filter, subject: "" })}>×</Button>
      </span>
    </p>
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
