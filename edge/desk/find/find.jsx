// Finds videos in any state by what a report, a letter or a colleague names.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { navigate, query } from "../../pages/kit/router.js";
import { get } from "../api.js";
import { useCommands } from "../keys/commands.js";
import { usePages } from "../pages.js";
import { PagesEnd } from "../pages-end.jsx";
import { guess, WAYS } from "./guess.js";
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
  return (
    <>
      <PageHead title="Find">Search by page address, slug, UUID, media name or channel number.</PageHead>
      <form class="row search" role="search" aria-label="Find videos"
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
      </form>
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
  const found = guess(text);
  const way = by || found.by;
  const value = by && by !== found.by ? text : found.value;
  const pages = usePages(async (cursor) => {
    const { contents, next_cursor } = await get("/moderation/contents", { [way]: value, cursor });
    return { rows: contents, next: next_cursor };
  }, `${way} ${value}`);
  const label = WAYS.find((known) => known.value === way)?.label.toLowerCase();
  return (
    <>
      <p class="note found-by">
        Searched for the {label} <bdi class="whole">{value}</bdi>.
        {way === "channel" && /^\d+$/.test(value) && <> <a href={`/desk/channel/${value}`}>Open channel {value}</a></>}
      </p>
      <Results contents={pages.rows} />
      <PagesEnd pages={pages} one="video" empty={
        <Empty title="No video found">
          Check the text, or choose above what to search by.
        </Empty>
      } />
    </>
  );
}
