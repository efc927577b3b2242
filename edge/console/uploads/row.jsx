import { titleOf } from "../../pages/kit/format.js";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { State } from "../../pages/kit/state.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { Picture } from "./picture.jsx";
import { Unlisted } from "./unlisted.jsx";

/** @typedef {import("./video-rules.js").Video} Video */

/** The height of a row in pixels, as uploads.css has it. A fixed height tells where each of 10,000 rows is. */
export const ROW_HEIGHT = 60;

/**
 * @param {{ video: Video, href: string, isSelected: boolean }} props
 */
export function Row({ video, href, isSelected }) {
  const isUntitled = !video.caption?.trim();
  const note = video.error_message_code ? video.detail : video.external_id;
  return (
    <a class="upload-row" href={href} aria-current={isSelected ? "true" : undefined} data-uuid={video.content_uuid}>
      <Picture video={video} />
      <span class="texts">
        <span class={`cut${isUntitled ? " dim" : ""}`} dir="auto">{titleOf(video.caption)}</span>
        {note && <span class="cut note" dir="auto">{note}</span>}
      </span>
      <span class="states"><State video={video} /><Unlisted video={video} /></span>
      <span class="when dim"><Time unix={video.created_at_unix} /></span>
    </a>
  );
}

export function RowSkeleton() {
  return (
    <div class="upload-row" aria-hidden="true">
      <span class="shot" />
      <span class="texts"><Skeleton width="55%" /></span>
      <span class="state-place"><Skeleton width="5rem" /></span>
      <span class="when"><Skeleton width="6rem" /></span>
    </div>
  );
}
