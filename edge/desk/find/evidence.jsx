// What owners deleted although moderation had removed or flagged it: the service keeps it for a while.
import { Empty } from "../../pages/kit/empty.jsx";
import { titleOf } from "../../pages/kit/format.js";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { State } from "../../pages/kit/state.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { get } from "../api.js";
import { usePages } from "../pages.js";
import { PagesEnd } from "../pages-end.jsx";

/** @typedef {import("../types").Kept} Kept */

export default function Evidence() {
  const pages = usePages(async (cursor) => {
    const { contents, next_cursor } = await get("/moderation/evidence", { cursor });
    return { rows: /** @type {Kept[]} */ (contents), next: next_cursor };
  }, "");
  return (
    <>
      <PageHead title="Deleted by owners">
        Videos that were removed or flagged before their owners deleted them. They are kept for complaints and authorities.
      </PageHead>
      <ul class="results">
        {pages.rows.map((kept) => (
          <li key={kept.content_uuid}>
            <a href={`/desk/video/${kept.content_uuid}`}>
              <span class={`cut${kept.caption?.trim() ? "" : " dim"}`} dir="auto">{titleOf(kept.caption)}</span>
              <span class="note"><State video={kept} /></span>
              <span class="note dim">Channel {kept.channel_id}</span>
              <span class="when note">Until <Time unix={kept.kept_until_unix} /></span>
            </a>
          </li>
        ))}
      </ul>
      <PagesEnd pages={pages} one="video" empty={
        <Empty title="Nothing is kept">No owner has deleted a removed or flagged video.</Empty>
      } />
    </>
  );
}
