import { CopyButton } from "../../pages/kit/copy.jsx";
import { dayAndTime, duration } from "../../pages/kit/format.js";
import { Section } from "../../pages/kit/section.jsx";
import { labelsOf, visibilityOf } from "./labels.js";
import { actionsOf } from "./video-rules.js";

/** @param {{ video: import("./video-rules.js").Video }} props */
export function Facts({ video }) {
  const isEditable = actionsOf(video).editTexts;
  /** @type {[string, string | null][]} */
  const facts = [
    ["Uploaded", dayAndTime(video.created_at_unix)],
    ["Published", video.published_at_unix ? dayAndTime(video.published_at_unix) : null],
    // Where they can be changed, the form shows them.
    ["Visibility", isEditable ? null : visibilityOf(video)],
    ["Labels", isEditable ? null : labelsOf(video)],
    ["Duration", video.duration_ms > 0 ? duration(video.duration_ms) : null],
    ["Quality", video.quality === "first" ? "first version; larger sizes are being processed" : null],
    ["Dimensions", video.width && video.height ? `${video.width} × ${video.height} pixels` : null],
  ];
  return (
    <Section title="About this video">
      <dl class="video-facts">
        {facts.map(([name, value]) => value && <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
        <div>
          <dt>ID</dt>
          <dd class="row"><code>{video.content_uuid}</code><CopyButton text={video.content_uuid} label="Copy ID" /></dd>
        </div>
      </dl>
    </Section>
  );
}
