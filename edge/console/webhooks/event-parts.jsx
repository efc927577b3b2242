// What the list of all events and the list of deliveries show of an event.
import { CodeBlock } from "../../pages/kit/code.jsx";
import { CopyButton } from "../../pages/kit/copy.jsx";
import { exactTime } from "../../pages/kit/format.js";
import { textOfEvent } from "./describe.js";

/** @typedef {import("./log.js").Event} Event */

/** The video of an event. @param {{ event: Event | null }} props */
export function VideoLink({ event }) {
  const { content_uuid: uuid, slug_url: slug } = event?.data ?? {};
  if (!uuid) return null;
  const name = slug ?? `Video ${uuid.slice(0, 8)}`;
  return <a class="video-link cut" href={`/console/uploads/${uuid}`} dir="auto">{name}</a>;
}

/** @param {{ type: string, id: string, event: Event | null, children?: import("preact").ComponentChildren }} props */
export function EventFacts({ type, id, event, children }) {
  return (
    <dl class="settings">
      <div><dt>Meaning</dt><dd>{textOfEvent(type) ?? "This type is newer than this page."}</dd></div>
      {event && <div><dt>Happened</dt><dd>{exactTime(event.happened_at_unix)}</dd></div>}
      {event?.data.content_uuid && <div><dt>Video</dt><dd class="cells-cut"><VideoLink event={event} /></dd></div>}
      {children}
      <div><dt>ID</dt><dd class="row"><code class="whole">{id}</code><CopyButton text={id} label="Copy ID" /></dd></div>
    </dl>
  );
}

/** @param {{ event: Event }} props */
export function EventBody({ event }) {
  return <CodeBlock label="Event" text={JSON.stringify(event, null, 2)} />;
}
