import { Button } from "../../pages/kit/button.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { duration, titleOf } from "../../pages/kit/format.js";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { State } from "../../pages/kit/state.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { Blur } from "../uploads/picture.jsx";

/** @typedef {import("../../pages/openapi").components["schemas"]["ContentStatus"]} Video */

/** How many are shown. */
export const NEWEST = 3;

/**
 * The newest uploads.
 * @param {{ of: ReturnType<typeof import("../../pages/kit/load.js").useLoad<{ uploads: Video[] }>> }} props
 */
export function Newest({ of: { data, failure, loading, reload } }) {
  if (failure && !data) {
    return <section class="section"><FailureNote failure={failure} onRetry={reload} busy={loading} /></section>;
  }
  const videos = data?.uploads;
  if (videos?.length === 0) {
    return (
      <section class="section">
        <Empty title="No uploads yet" action={<Button href="/console/upload">Upload a video</Button>}>
          Your newest videos appear here. Upload your first video here or from a program.
        </Empty>
      </section>
    );
  }
  return (
    <section class="section" aria-labelledby="newest">
      <div class="newest-head"><h2 id="newest">Newest uploads</h2><a href="/console/uploads">All uploads</a></div>
      <ul class="newest">
        {videos
          ? videos.map((video) => <li key={video.content_uuid}><Card video={video} /></li>)
          : Array.from({ length: NEWEST }, (_, index) => <li key={index}><CardToCome /></li>)}
      </ul>
    </section>
  );
}

function CardToCome() {
  return (
    <span class="card">
      <span class="picture"><Skeleton height="100%" /></span>
      <span class="name"><Skeleton width="60%" height="1.35em" /></span>
      <span class="row"><Skeleton width="40%" height="1.35em" /></span>
    </span>
  );
}

/** @param {{ video: Video }} props */
function Card({ video }) {
  const picture = video.thumbnails.findLast((thumbnail) => thumbnail.width <= 640) ?? video.thumbnails[0];
  return (
    <a class="card" href={`/console/uploads/${video.content_uuid}`}>
      <span class="picture">
        {video.thumbhash && <Blur hash={video.thumbhash} />}
        {picture && <img src={picture.url} alt="" loading="lazy" />}
        {video.duration_ms > 0 && <span class="length number">{duration(video.duration_ms)}</span>}
      </span>
      <span class="name cut" dir="auto">{titleOf(video.caption)}</span>
      <span class="dim row"><State video={video} /><Time unix={video.created_at_unix} /></span>
    </a>
  );
}
