import { titleOf } from "../../pages/kit/format.js";
import { Mark } from "../../pages/kit/mark.jsx";
import { State } from "../../pages/kit/state.jsx";
import { Time } from "../../pages/kit/time.jsx";

/** Videos in any state. @param {{ contents: import("../types").Content[], isOfOneChannel?: boolean }} props */
export function Results({ contents, isOfOneChannel }) {
  return (
    <ul class="results">
      {contents.map((content) => (
        <li key={content.content_uuid}>
          <a href={`/desk/video/${content.content_uuid}`}>
            <span class={`cut${content.caption?.trim() ? "" : " dim"}`} dir="auto">{titleOf(content.caption)}</span>
            <span class="note">
              {content.waits_for ? <Mark tone="wait">Waiting for a {content.waits_for}</Mark> : <State video={content} />}
            </span>
            <span class="note dim">{!isOfOneChannel && `Channel ${content.channel_id}`}</span>
            <span class="when note"><Time unix={content.created_at_unix} /></span>
          </a>
        </li>
      ))}
    </ul>
  );
}
