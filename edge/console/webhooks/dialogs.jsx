// What is asked before a webhook is changed for good, or many events are sent again.
import { useSignal } from "@preact/signals";
import { useAction } from "../../pages/kit/action.js";
import { Button } from "../../pages/kit/button.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { Check, SelectField, TextField } from "../../pages/kit/field.jsx";
import { counted } from "../../pages/kit/format.js";
import { useLoad } from "../../pages/kit/load.js";
import { now } from "../../pages/kit/time.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { navigate } from "../../pages/kit/router.js";
import { hostOf } from "./describe.js";
import { sinceChoices } from "./resend.js";
import { showSecret } from "./secret.jsx";
import { deleteWebhook, log, makeSecret, sendAllAgain } from "./store.js";

/** @typedef {import("./describe.js").Webhook} Webhook */

/** @param {{ webhook: Webhook, onClose: () => void }} props */
export function RotateDialog({ webhook, onClose }) {
  const { busy, failure, start } = useAction(async () => {
    const { secret } = await makeSecret("rotate_secret", { webhook_uuid: webhook.webhook_uuid });
    onClose();
    showSecret(secret);
  });
  return (
    <Dialog title="Rotate the signing secret?" onClose={onClose} onSubmit={start} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="danger" sure type="submit" busy={busy}>Rotate secret</Button>
    </>}>
      <p>
        You get a new secret. For a day, each event is signed with both the old and the new secret, so that your server
        rejects nothing while you replace it.
      </p>
      {webhook.previous_secret_ends_at_unix !== null && (
        <p>The secret from before the last rotation stops working immediately.</p>
      )}
      {failure && <FailureNote failure={failure} />}
    </Dialog>
  );
}

/** @param {{ webhook: Webhook, onClose: () => void }} props */
export function DeleteDialog({ webhook, onClose }) {
  const host = hostOf(webhook);
  const typed = useSignal("");
  const wrong = useSignal(false);
  const { busy, failure, start } = useAction(async () => {
    await deleteWebhook(webhook.webhook_uuid);
    toast("Webhook deleted");
    navigate("/console/webhooks", { replace: true });
  });
  const submit = () => (typed.value.trim().toLowerCase() === host ? start() : void (wrong.value = true));
  return (
    <Dialog title="Delete the webhook?" onClose={onClose} onSubmit={submit} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="danger" sure type="submit" busy={busy}>Delete webhook</Button>
    </>}>
      <p>Nothing more is sent to <code class="whole">{webhook.url}</code>. This cannot be undone.</p>
      <ul class="says">
        <li>Pending deliveries are canceled.</li>
        <li>Its deliveries and its signing secret are deleted. The events stay under “All events”.</li>
      </ul>
      <TextField label={`Type ${host} to confirm`} value={typed.value}
        error={wrong.value ? `This is not the webhook's host. Type ${host}.` : null}
        onInput={(value) => { typed.value = value; wrong.value = false; }}
        input={{ spellcheck: false, dir: "ltr", autofocus: true, autocapitalize: "none" }} />
      {failure && <FailureNote failure={failure} />}
    </Dialog>
  );
}

/** @param {{ webhook: Webhook, onClose: () => void, onSent: () => void }} props */
export function SendAgainDialog({ webhook, onClose, onSent }) {
  const choices = useSignal(sinceChoices(webhook.last_delivered_at_unix, now.peek())).value;
  const since = useSignal(choices[0]?.value ?? "");
  const includesDelivered = useSignal(false);
  const most = useLoad(() => log.countSince(Number(since.value)), since.value);
  const { busy, failure, start } = useAction(async () => {
    const which = { since_unix: Number(since.value), include_delivered: includesDelivered.value };
    const count = await sendAllAgain(webhook.webhook_uuid, which);
    toast(count ? `${counted(count, "event")} will be sent within a minute` : "There is nothing to send again");
    onSent();
    onClose();
  });
  return (
    <Dialog title="Send events again?" onClose={onClose} onSubmit={start} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="main" type="submit" busy={busy} disabled={most.data === 0}>Send again</Button>
    </>}>
      <p>Each event keeps its ID, so your server can recognize duplicates.</p>
      <SelectField label="Since" value={since.value} onInput={(value) => (since.value = value)} options={choices} />
      <Check label="Include events that were delivered" checked={includesDelivered.value}
        onChange={(checked) => (includesDelivered.value = checked)} />
      <p class="how-many" role="status">{howMany(most, includesDelivered.value, webhook)}</p>
      {failure && <FailureNote failure={failure} />}
    </Dialog>
  );
}

/**
 * @param {{ data: number | null, failure: import("../../pages/kit/failures.js").Failure | null }} most
 * @param {boolean} includesDelivered
 * @param {Webhook} webhook
 */
function howMany({ data, failure }, includesDelivered, webhook) {
  if (failure) return `The events could not be counted. ${failure.what}`;
  if (data === null) return "Counting the events…";
  if (data === 0) return "No events have happened since then.";
  const which = [
    !includesDelivered && "were not delivered",
    webhook.event_types && "have one of this webhook's types",
  ].filter(Boolean).join(" and ");
  return `At most ${counted(data, "event")}${which && `: those that ${which}`}.`;
}
