// What was decided, by whom and why.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { navigate, query } from "../../pages/kit/router.js";
import { get } from "../api.js";
import { policies, readPolicies } from "../decide/policies.js";
import { usePages } from "../pages.js";
import { PagesEnd } from "../pages-end.jsx";
import { DecisionRows } from "./rows.jsx";

export default function Decisions() {
  const uuid = query.value.get("content_uuid") ?? "";
  const typed = useSignal(uuid);
  useEffect(() => {
    typed.value = uuid;
  }, [uuid]);
  useEffect(() => {
    if (policies.peek().length === 0) readPolicies().catch(() => {});
  }, []);
  const pages = usePages(async (cursor) => {
    const { decisions, next_cursor } = await get("/moderation/decisions", { content_uuid: uuid, cursor });
    return { rows: decisions, next: next_cursor };
  }, uuid);
  const show = (/** @type {string} */ wanted) =>
    navigate(`/desk/decisions${wanted && `?content_uuid=${encodeURIComponent(wanted)}`}`, { replace: true });
  return (
    <>
      <PageHead title="Decisions">What was decided, by whom and why, newest first. Owners do not see this.</PageHead>
      <form class="row search" role="search" aria-label="Decisions about one video"
        onSubmit={(event) => { event.preventDefault(); show(typed.value.trim()); }}>
        <input class="input mono" type="search" aria-label="Video UUID" placeholder="Video UUID"
          spellcheck={false} autocomplete="off" value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} />
        <Button type="submit">Show</Button>
        {uuid && <Button kind="quiet" onClick={() => show("")}>All decisions</Button>}
      </form>
      <DecisionRows decisions={pages.rows} />
      <PagesEnd pages={pages} one="decision" empty={
        <Empty title={uuid ? "No decisions about this video" : "No decisions yet"}>
          {uuid ? "No one has decided on it, or the UUID is incomplete."
            : "Every approval, rejection and takedown is listed here."}
        </Empty>
      } />
    </>
  );
}
