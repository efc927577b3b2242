// The hashes of pictures that must not be published again.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { CopyButton } from "../../pages/kit/copy.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { duration } from "../../pages/kit/format.js";
import { Menu } from "../../pages/kit/menu.jsx";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { navigate, query } from "../../pages/kit/router.js";
import { Time } from "../../pages/kit/time.jsx";
import { get, may } from "../api.js";
import { entriesAbout } from "../audit/filters.js";
import { ExportBar, useExport } from "../export/export.jsx";
import { csvRow, HASH_COLUMNS } from "../export/lines.js";
import { usePages } from "../pages.js";
import { PagesEnd } from "../pages-end.jsx";
import { caughtInWords } from "../text.js";
import { AddDialog, RemoveDialog } from "./dialogs.jsx";
import { hashBefore, isBeginning, isHash, normalized, shortened } from "./hash.js";
import { ImportDialog } from "./import.jsx";

/** @typedef {import("../types").BlockedHash} BlockedHash */

const addressOf = (/** @type {string} */ hash) => `/desk/blocklist${hash && `?hash=${encodeURIComponent(hash)}`}`;

const JSON_LINES = { name: "blocklist.jsonl", type: "application/x-ndjson",
  write: (/** @type {BlockedHash} */ _, /** @type {string} */ line) => line };
const CSV = { name: "blocklist.csv", type: "text/csv", head: csvRow(HASH_COLUMNS),
  write: (/** @type {any} */ row) => csvRow(HASH_COLUMNS.map((column) => row[column])) };

export default function Blocklist() {
  const wanted = normalized(query.value.get("hash") ?? "");
  const dialog = useSignal(/** @type {"add" | "import" | BlockedHash | null} */ (null));
  const changes = useSignal(0);
  const pages = usePages((cursor) => readPage(wanted, cursor), `${changes.value} ${wanted}`);
  const file = useExport({ path: "/internal/moderation/hashes/export", placeOf: (row) => row.hash });
  const close = () => (dialog.value = null);
  const changed = (/** @type {string} */ hash) => {
    changes.value += 1;
    navigate(addressOf(hash), { replace: true });
  };
  const isWrong = wanted !== "" && !isBeginning(wanted);
  const open = dialog.value;
  return (
    <>
      <PageHead title="Blocklist" action={
        <span class="row">
          <Menu label="Export" look="plain" items={[
            { label: "As CSV", onSelect: () => file.start(CSV) },
            { label: "As JSON lines", onSelect: () => file.start(JSON_LINES) },
          ]} />
          {may("blocklist") && <>
            <Button onClick={() => (dialog.value = "import")}>Import</Button>
            <Button kind="main" onClick={() => (dialog.value = "add")}>Add hash</Button>
          </>}
        </span>
      }>
        Pictures that must not be published again, sorted by hash.
      </PageHead>
      <Search wanted={wanted} isWrong={isWrong} />
      <ExportBar of={file} one="hash" many="hashes" />
      {!isWrong && <>
        <ul class="decisions in-columns wide-by">
          {pages.rows.map((row) => <Row key={row.hash} row={row} onRemove={() => (dialog.value = row)} />)}
        </ul>
        <PagesEnd pages={pages} one="hash" many="hashes" empty={<NoHashes wanted={wanted} />} />
      </>}
      {open === "add" && <AddDialog onClose={close} onDone={changed} />}
      {open === "import" && <ImportDialog onClose={close} onDone={() => changed("")} />}
      {open !== null && typeof open === "object" && (
        <RemoveDialog row={open} onClose={close}
          onDone={() => pages.change((rows) => rows.filter(({ hash }) => hash !== open.hash))} />
      )}
    </>
  );
}

/**
 * @param {string} wanted The beginning of the hashes; empty for all. @param {string | null} cursor
 * @returns {Promise<{ rows: BlockedHash[], next: string | null }>}
 */
async function readPage(wanted, cursor) {
  if (wanted !== "" && !isBeginning(wanted)) return { rows: [], next: null };
  const body = await get("/moderation/hashes", { cursor: cursor ?? hashBefore(wanted) });
  const rows = body.hashes.filter((/** @type {BlockedHash} */ { hash }) => hash.startsWith(wanted));
  // The first hash that begins otherwise is behind all that are wanted.
  return { rows, next: rows.length < body.hashes.length ? null : body.next_cursor };
}

/** @param {{ wanted: string, isWrong: boolean }} props */
function Search({ wanted, isWrong }) {
  const typed = useSignal(wanted);
  useEffect(() => {
    typed.value = wanted;
  }, [wanted]);
  const show = (/** @type {string} */ hash) => navigate(addressOf(hash), { replace: true });
  return (
    <>
      <form class="row search" role="search" aria-label="Blocked hashes"
        onSubmit={(event) => { event.preventDefault(); show(normalized(typed.value)); }}>
        <input class="input mono" type="search" aria-label="Hash or first digits" placeholder="Hash or first digits"
          spellcheck={false} autocomplete="off" autocapitalize="none" value={typed.value}
          aria-invalid={isWrong || undefined} aria-describedby={isWrong ? "wrong-hash" : undefined}
          onInput={(event) => (typed.value = event.currentTarget.value)} />
        <Button type="submit">Find</Button>
        {wanted && <Button kind="quiet" onClick={() => show("")}>All hashes</Button>}
      </form>
      {isHash(wanted) && (
        <p class="note found-by"><a href={entriesAbout(`hash:${wanted}`)}>Audit log of this hash</a></p>
      )}
      {isWrong && (
        <p class="found-by" id="wrong-hash" role="alert">
          A hash has at most 64 digits, each from 0 to 9 or a to f. Check what you pasted.
        </p>
      )}
    </>
  );
}

/** @param {{ row: BlockedHash, onRemove: () => void }} props */
function Row({ row, onRemove }) {
  const { hash, reason, by, content_uuid, at_ms, caught } = row;
  return (
    <li>
      <p class="what">
        <code title={hash}>{shortened(hash)}</code>
        {" "}<CopyButton text={hash} name={`Copy hash ${shortened(hash)}`} />
      </p>
      <p class="said reason" dir="auto">{reason}</p>
      <p class="row note about">
        {content_uuid && (
          <span>
            <a href={`/desk/video/${content_uuid}`}>From a removed video</a>{at_ms !== null && `, at ${duration(at_ms)}`}
          </span>
        )}
        {caught > 0 && <a href={`/desk/find?q=${hash}&by=blocked_hash`}>{caughtInWords(caught)}</a>}
      </p>
      <div class="by note acts">
        <p><bdi>{by}</bdi>, <Time unix={row.added_at_unix} /></p>
        {may("blocklist") && (
          <Button kind="quiet" onClick={onRemove} aria-label={`Remove hash ${shortened(hash)}`}>Remove</Button>
        )}
      </div>
    </li>
  );
}

/** @param {{ wanted: string }} props */
function NoHashes({ wanted }) {
  if (!wanted) return <Empty title="Nothing is blocked">The pictures of videos that you reject appear here.</Empty>;
  return (
    <Empty title="Not on the list">
      {isHash(wanted) ? "This hash is not blocked." : "No blocked hash begins with this."} A search finds only
      the same digits, not similar pictures.
    </Empty>
  );
}
