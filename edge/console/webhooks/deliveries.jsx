// What was sent to a webhook, and what it answered.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useAction } from "../../pages/kit/action.js";
import { Button } from "../../pages/kit/button.jsx";
import { CodeBlock } from "../../pages/kit/code.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { Endless, Stale, useFollow } from "../../pages/kit/endless.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { Mark } from "../../pages/kit/mark.jsx";
import { OpenRow } from "../../pages/kit/open-row.jsx";
import { Prose } from "../../pages/kit/prose.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { adviceFor, attemptsOf, describeDelivery, describeResponse } from "./describe.js";
import { SendAgainDialog } from "./dialogs.jsx";
import { EventBody, EventFacts, VideoLink } from "./event-parts.jsx";
import { deliveriesOf, sendAgain } from "./store.js";

/** @typedef {import("./describe.js").Webhook} Webhook */
/** @typedef {import("./store.js").DeliveredEvent} DeliveredEvent */

/** @param {{ webhook: Webhook, isHeld: boolean }} props `isHeld`: the webhook may be deleted now, and then has none. */
export function Deliveries({ webhook, isHeld }) {
  const feed = useMemo(() => deliveriesOf(webhook.webhook_uuid), [webhook.webhook_uuid]);
  const stale = useFollow(feed, { isHeld });
  const isAsking = useSignal(false);
  const isActive = webhook.state === "active";
  return (
    <section class="section deliveries" aria-labelledby="deliveries">
      <div class="section-head">
        <h2 id="deliveries">Deliveries</h2>
        {isActive && <Button onClick={() => (isAsking.value = true)}>Send events again</Button>}
      </div>
      <Stale of={stale} />
      <Endless feed={feed} one="delivery" many="deliveries" empty={<NoDeliveries />}>
        {(row) => <Row key={row.sequence} of={row} webhook={webhook} onSent={feed.wake} />}
      </Endless>
      {isAsking.value && (
        <SendAgainDialog webhook={webhook} onClose={() => (isAsking.value = false)} onSent={feed.wake} />
      )}
    </section>
  );
}

/** @param {{ of: DeliveredEvent, webhook: Webhook, onSent: () => void }} props */
function Row({ of, webhook, onSent }) {
  const { word, tone } = describeDelivery(of);
  const at = of.last_attempt_at_unix ?? of.event?.happened_at_unix;
  return (
    <OpenRow name={<code>{of.event_type}</code>} look="delivery-cells" cells={<>
      <Mark tone={tone}>{word}</Mark>
      <span class="of note cut"><VideoLink event={of.event} /></span>
      <span class="answer number cut">{describeResponse(of.response)}</span>
      <span class="body note cut">{of.response?.body_start}</span>
      <span class="attempts note number">{attemptsOf(of)}</span>
      <span class="when note">{at != null && <Time unix={at} />}</span>
    </>}>
      {() => <Opened of={of} webhook={webhook} onSent={onSent} />}
    </OpenRow>
  );
}

/** @param {{ of: DeliveredEvent, webhook: Webhook, onSent: () => void }} props */
function Opened({ of, webhook, onSent }) {
  const { busy, failure, start } = useAction(async () => {
    await sendAgain(webhook.webhook_uuid, of.event_id);
    toast("It will be sent within a minute");
    onSent();
  });
  const { response, next_attempt_at_unix: next } = of;
  const advice = of.state === "delivered" ? null : adviceFor(response);
  return (
    <>
      {advice && <p class="read"><Prose text={advice} /></p>}
      <EventFacts type={of.event_type} id={of.event_id} event={of.event}>
        <div><dt>Sent</dt><dd>{attemptsOf(of) ?? "Not yet"}{of.last_attempt_at_unix !== null && (
          <>, the last <Time unix={of.last_attempt_at_unix} /></>
        )}</dd></div>
        {next !== null && of.attempts > 0 && <div><dt>Next attempt</dt><dd><Time unix={next} /></dd></div>}
        {of.state === "pending" && next === null && (
          <div><dt>Waiting for</dt><dd>An earlier event of the same video, so that events arrive in order</dd></div>
        )}
        {response && <div><dt>Response</dt><dd class="number">{describeResponse(response)}</dd></div>}
      </EventFacts>
      {response?.body_start && <CodeBlock label="Start of the response" text={response.body_start} />}
      {of.event && <EventBody event={of.event} />}
      {failure && <FailureNote failure={failure} />}
      {webhook.state === "active"
        ? <div><Button busy={busy} onClick={start}>Send again</Button></div>
        : <p class="note">Resume the webhook to send this event again.</p>}
    </>
  );
}

function NoDeliveries() {
  return (
    <Empty title="Nothing sent yet">
      Your channel's next event appears here with your server's response. To check your endpoint now, send a test event.
    </Empty>
  );
}
