// The channel's event log: what any webhook gets, and what was not sent to one.
import { Button } from "../../pages/kit/button.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { Endless, Stale, useFollow } from "../../pages/kit/endless.jsx";
import { OpenRow } from "../../pages/kit/open-row.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { detailOf } from "./describe.js";
import { EventBody, EventFacts, VideoLink } from "./event-parts.jsx";
import { allEvents } from "./store.js";
import { Tabs } from "./tabs.jsx";

export function AllEvents() {
  const stale = useFollow(allEvents);
  return (
    <>
      <PageHead title="All events">
        Everything that happened in your channel in the last 30 days, even if it was not sent.
      </PageHead>
      <Tabs at="events" />
      <Stale of={stale} />
      <Endless feed={allEvents} one="event" empty={<NoEvents />}>
        {(event) => <Row key={event.sequence} event={event} />}
      </Endless>
    </>
  );
}

/** @param {{ event: import("./log.js").Event }} props */
function Row({ event }) {
  const detail = detailOf(event);
  return (
    <OpenRow name={<code>{event.type}</code>} look="event-cells" cells={<>
      <span class="of note cut"><VideoLink event={event} /></span>
      <span class="detail note cut" dir="auto">{detail}</span>
      <span class="when note"><Time unix={event.happened_at_unix} /></span>
    </>}>
      {() => <><EventFacts type={event.type} id={event.id} event={event} /><EventBody event={event} /></>}
    </OpenRow>
  );
}

function NoEvents() {
  return (
    <Empty title="No events yet" action={<Button kind="main" href="/console/upload">Upload video</Button>}>
      An event is logged when a video is published, rejected or deleted, when a one-time token is used, and when your
      API key changes. Upload a video to see its events here.
    </Empty>
  );
}
