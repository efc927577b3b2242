// Finds videos in any state by what a report, a letter or a colleague names.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { FileButton } from "../../pages/kit/file-button.jsx";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { navigate, query } from "../../pages/kit/router.js";
import { get } from "../api.js";
import { isHash } from "../blocklist/hash.js";
import { useCommands } from "../keys/commands.js";
import { usePages } from "../pages.js";
import { PagesEnd } from "../pages-end.jsx";
import { FileReading, nameOfFile, useFileDrop, useFileSearch } from "./file-search.jsx";
import { WAYS, wantedBy } from "./guess.js";
import { Results } from "./results.jsx";

export default function Find() {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const text = query.value.get("q") ?? "";
  const by = query.value.get("by") ?? "";
  const typed = useSignal(text);
  useEffect(() => {
    typed.value = text;
    if (!text) input.current?.focus();
  }, [text]);
  useCommands({ find: () => input.current?.select() });
  const show = (/** @type {string} */ q, /** @type {string} */ way) => {
    const search = new URLSearchParams({ ...(q.trim() && { q: q.trim() }), ...(way && { by: way }) });
    navigate(`/desk/find${search.size ? `?${search}` : ""}`);
  };
  const file = useFileSearch((sha256) => show(sha256, ""));
  const { isOver, handlers } = useFileDrop(file.choose);
  return (
    <>
      <PageHead title="Find">Search by page address, slug, UUID, media name, channel number or file.</PageHead>
      <form class={`row search${isOver ? " over" : ""}`} role="search" aria-label="Find videos" {...handlers}
        onSubmit={(event) => { event.preventDefault(); show(typed.value, by); }}>
        <input class="input" type="search" ref={input} aria-label="Search for" dir="auto" spellcheck={false}
          autocomplete="off" placeholder="https://…, a-clip-x1, 12" value={typed.value}
          onInput={(event) => (typed.value = event.currentTarget.value)} />
        <select class="input" aria-label="Search by" value={by}
          onInput={(event) => show(typed.value, event.currentTarget.value)}>
          <option value="">Detect automatically</option>
          {WAYS.map(({ value, label }) => <option key={value} value={value}>{label}</option>)}
        </select>
        <Button kind="main" type="submit">Find</Button>
        <FileButton kind="quiet" busy={file.reading !== null} onChoose={file.choose}>Choose a file</FileButton>
        <p class="note">
          To find the videos uploaded from a file, choose the file or drop it here. The file stays on your device; only
          its fingerprint is sent.
        </p>
      </form>
      <FileReading of={file} />
      {text ? <Found text={text} by={by} /> : (
        <p class="read dim">
          The search covers videos in every state. Evidence that is kept after owners deleted their videos has its own
          list: <a href="/desk/evidence">deleted by owners</a>.
        </p>
      )}
    </>
  );
}

/** @param {{ text: string, by: string }} props */
function Found({ text, by }) {
  const { by: way, value } = wantedBy(text, by);
  const pages = usePages(async (cursor) => {
    const { contents, next_cursor } = await get("/moderation/contents", { [way]: value, cursor });
    return { rows: contents, next: next_cursor };
  }, `${way} ${value}`);
  const phrase = WAYS.find((known) => known.value === way)?.phrase;
  const name = way === "sha256" ? nameOfFile(value) : undefined;
  return (
    <>
      <p class="note found-by">
        Searched for {phrase} {name && <><bdi class="whole">{name}</bdi>, SHA-256 </>}<bdi class="whole">{value}</bdi>.
        {way === "channel" && /^\d+$/.test(value) && <> <a href={`/desk/channel/${value}`}>Open channel {value}</a></>}
        {way === "blocked_hash" && isHash(value) && (
          <> <a href={`/desk/blocklist?hash=${value}`}>Show on the blocklist</a></>
        )}
      </p>
      <Results contents={pages.rows} />
      <PagesEnd pages={pages} one="video" empty={
        <Empty title="No video found">{ADVICE[way] ?? "Check the text, or choose above what to search by."}</Empty>
      } />
    </>
  );
}

/** What to try if nothing was found. @type {Partial<Record<import("./guess.js").By, string>>} */
const ADVICE = {
  sha256: "No match for this file. A trimmed or re-encoded copy is a different file. Older videos that were not removed "
    + "can't be found by file.",
  blocked_hash: "This hash has not caught any videos.",
};
