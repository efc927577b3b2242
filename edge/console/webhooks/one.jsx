// A webhook: how it is, what can be done with it, and its deliveries.
import { useSignal } from "@preact/signals";
import { failureFrom } from "../api.js";
import { useAction } from "../../pages/kit/action.js";
import { Button } from "../../pages/kit/button.jsx";
import { CodeTabs } from "../../pages/kit/code.jsx";
import { useFollow } from "../../pages/kit/endless.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { dayAndTime } from "../../pages/kit/format.js";
import { Mark } from "../../pages/kit/mark.jsx";
import { Menu } from "../../pages/kit/menu.jsx";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { Deliveries } from "./deliveries.jsx";
import { describeTypes, describeWebhook, hostOf, whyStopped } from "./describe.js";
import { DeleteDialog, RotateDialog } from "./dialogs.jsx";
import { EditWebhook } from "./form.jsx";
import { LastResult } from "./list.jsx";
import { NewSecret, Unseen } from "./secret.jsx";
import { RECEIVERS } from "./snippets.js";
import { unseen, updateWebhook, webhooks } from "./store.js";
import { TestResult, useTest } from "./test.jsx";

/** @typedef {import("./describe.js").Webhook} Webhook */

/** @param {{ uuid: string }} props */
export function OneWebhook({ uuid }) {
  // If it cannot be read again, the deliveries say so.
  useFollow(webhooks);
  const webhook = webhooks.rows.value.find((row) => row.webhook_uuid === uuid);
  return (
    <>
      <nav class="way-back" aria-label="Back"><Button kind="quiet" href="/console/webhooks">← Webhooks</Button></nav>
      {webhook ? <Page webhook={webhook} /> : <Waiting />}
    </>
  );
}

function Waiting() {
  if (webhooks.failure.value) {
    const failure = failureFrom(webhooks.failure.value);
    return (
      <>
        <PageHead title="Webhook" />
        <FailureNote failure={failure} onRetry={webhooks.load} busy={webhooks.isLoading.value} />
      </>
    );
  }
  if (webhooks.hasLoaded.value) {
    return <PageHead title="Webhook not found">It may have been deleted, or the link may be incomplete.</PageHead>;
  }
  return <div class="stack"><Skeleton width="60%" height="2rem" /><Skeleton height="8rem" /></div>;
}

/** @param {{ webhook: Webhook }} props */
function Page({ webhook }) {
  const asked = useSignal(/** @type {"rotate" | "delete" | "edit" | null} */ (null));
  const test = useTest(webhook.webhook_uuid);
  const close = () => (asked.value = null);
  const isActive = webhook.state === "active";
  const { busy, failure, start: toggle } = useAction(async () => {
    await updateWebhook({ webhook_uuid: webhook.webhook_uuid, is_active: !isActive });
    toast(isActive ? "Paused: nothing is sent until you resume it" : "Resumed");
    webhooks.wake();
  });
  const { word, tone } = describeWebhook(webhook);
  return (
    <>
      <PageHead title={hostOf(webhook)} action={
        <div class="row">
          <Button kind="main" busy={test.busy} onClick={test.start}>Send test event</Button>
          <Button busy={busy} onClick={toggle}>{isActive ? "Pause" : "Resume"}</Button>
          <Menu label="More" look="plain" items={[
            { label: "Edit webhook", onSelect: () => (asked.value = "edit") },
            { label: "Rotate secret", onSelect: () => (asked.value = "rotate") },
            { label: "Delete webhook", danger: true, onSelect: () => (asked.value = "delete") },
          ]} />
        </div>
      }>
        <span class="row facts-line">
          <Mark tone={tone}>{word}</Mark>
          <span><LastResult webhook={webhook} /></span>
          <span>Created <Time unix={webhook.created_at_unix} /></span>
        </span>
      </PageHead>
      <div class="webhook-page">
        {unseen.value === webhook.webhook_uuid && <Unseen uuid={webhook.webhook_uuid} />}
        {webhook.state === "paused" && <Stopped webhook={webhook} />}
        {webhook.state === "disabled" && (
          <p class="bar">
            You paused this webhook. New events are not sent, but appear under “All events”.
          </p>
        )}
        {failure && <FailureNote failure={failure} />}
        <TestResult of={test} />
        {asked.value === "edit" ? <EditWebhook webhook={webhook} onClose={close} /> : <Settings webhook={webhook} />}
        <details class="more">
          <summary>Verify the signature</summary>
          <CodeTabs label="Receivers" tabs={RECEIVERS} />
        </details>
      </div>
      <Deliveries webhook={webhook} isHeld={asked.value === "delete"} />
      {asked.value === "rotate" && <RotateDialog webhook={webhook} onClose={close} />}
      {asked.value === "delete" && <DeleteDialog webhook={webhook} onClose={close} />}
      <NewSecret isRotated={webhook.previous_secret_ends_at_unix !== null} />
    </>
  );
}

/** @param {{ webhook: Webhook }} props */
function Settings({ webhook }) {
  const { event_types: types, previous_secret_ends_at_unix: previous } = webhook;
  return (
    <dl class="settings">
      <div><dt>Endpoint URL</dt><dd><code class="whole">{webhook.url}</code></dd></div>
      <div>
        <dt>Events</dt>
        <dd>
          {types
            ? <span class="chips">{types.map((type) => <code key={type}>{type}</code>)}</span>
            : describeTypes(types)}
        </dd>
      </div>
      {previous !== null && (
        <div><dt>Secret</dt><dd>The new and the previous secret are both valid until {dayAndTime(previous)}.</dd></div>
      )}
    </dl>
  );
}

/** @param {{ webhook: Webhook }} props */
function Stopped({ webhook }) {
  return (
    <div class="failure" role="status">
      <p>
        <b>The service has stopped sending</b>
        {webhook.paused_at_unix !== null && <> <Time unix={webhook.paused_at_unix} /></>}. {whyStopped(webhook)}
      </p>
      <p>Fix your endpoint, check it with a test event, and resume the webhook. Then resend the missed events.</p>
    </div>
  );
}
