// The address of a webhook, and the events that it gets.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useAction } from "../../pages/kit/action.js";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { focusError, TextField } from "../../pages/kit/field.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { navigate } from "../../pages/kit/router.js";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { EVENT_GROUPS } from "./describe.js";

import { showSecret, Unseen } from "./secret.jsx";
import { makeSecret, unseen, updateWebhook, webhooks } from "./store.js";

/** @typedef {import("./describe.js").Webhook} Webhook */
/** @typedef {{ url: string, event_types: string[] | null }} Choice `event_types`: null for all. */

export function AddWebhook() {
  useEffect(() => {
    if (!webhooks.hasLoaded.peek()) webhooks.load();
  }, []);
  const add = async (/** @type {Choice} */ { url, event_types }) => {
    const { webhook, secret } = await makeSecret("create", { url, ...(event_types && { event_types }) });
    navigate(`/console/webhooks/${webhook.webhook_uuid}`, { replace: true });
    showSecret(secret);
  };
  return (
    <>
      <PageHead title="Add a webhook">Your channel's events are posted to this endpoint.</PageHead>
      {unseen.value && <Unseen uuid={unseen.value} />}
      <WebhookForm verb="Add webhook" onSend={add} onCancel={() => navigate("/console/webhooks")} />
    </>
  );
}

/** @param {{ webhook: Webhook, onClose: () => void }} props */
export function EditWebhook({ webhook, onClose }) {
  const save = async (/** @type {Choice} */ choice) => {
    await updateWebhook({ webhook_uuid: webhook.webhook_uuid, ...choice });
    toast("Webhook updated");
    onClose();
  };
  return <WebhookForm webhook={webhook} verb="Save changes" onSend={save} onCancel={onClose} />;
}

/**
 * @param {{ webhook?: Webhook, verb: string, onSend: (choice: Choice) => Promise<void>, onCancel: () => void }} props
 */
function WebhookForm({ webhook, verb, onSend, onCancel }) {
  const url = useSignal(webhook?.url ?? "");
  const isAll = useSignal(!webhook?.event_types);
  const chosen = useSignal(new Set(webhook?.event_types ?? []));
  const fault = useSignal(/** @type {"url" | "types" | null} */ (null));
  const { busy, failure, start } = useAction(async () => {
    await onSend({ url: url.value.trim(), event_types: isAll.value ? null : [...chosen.value] });
  });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    fault.value = !url.value.trim() ? "url" : !isAll.value && chosen.value.size === 0 ? "types" : null;
    if (fault.value) focusError();
    else start();
  };
  const isOfUrl = failure?.field === "url";
  return (
    <form class="stack webhook-form" onSubmit={submit} noValidate>
      <TextField label="Endpoint URL" value={url.value} onInput={(text) => { url.value = text; fault.value = null; }}
        error={fault.value === "url" ? "Enter your endpoint's URL." : isOfUrl ? failure.what : null}
        help="Must start with https:// and a public domain name. The path may contain a secret of your own."
        input={{ type: "url", dir: "ltr", spellcheck: false, placeholder: "https://hooks.example.com/clipgate",
          maxLength: 2048, class: "input mono" }} />
      <Types isAll={isAll} chosen={chosen} error={fault.value === "types" ? "Choose at least one event." : null}
        onChange={() => (fault.value = null)} />
      {failure && !isOfUrl && <FailureNote failure={failure} />}
      <div class="row">
        <Button kind="main" type="submit" busy={busy}>{verb}</Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

/**
 * Which events are sent.
 * @param {{ isAll: import("@preact/signals").Signal<boolean>, error: string | null, onChange: () => void,
 *   chosen: import("@preact/signals").Signal<Set<string>> }} props
 */
function Types({ isAll, chosen, error, onChange }) {
  const choose = (/** @type {string} */ type, /** @type {boolean} */ isChosen) => {
    const next = new Set(chosen.value);
    if (isChosen) next.add(type);
    else next.delete(type);
    chosen.value = next;
    onChange();
  };
  const radio = (/** @type {boolean} */ all, /** @type {string} */ label) => (
    <label class="check">
      <input type="radio" name="events" checked={isAll.value === all}
        onChange={() => { isAll.value = all; onChange(); }} />
      <span>{label}</span>
    </label>
  );
  return (
    <fieldset class="choice">
      <legend>Events</legend>
      {radio(true, "All events, including future ones")}
      {radio(false, "Only these")}
      {!isAll.value && EVENT_GROUPS.map(({ name, types }) => (
        <div class="group" role="group" aria-label={name} key={name}>
          <span class="name" aria-hidden="true">{name}</span>
          {types.map(({ type, text }) => (
            <label class="check" key={type}>
              <input type="checkbox" checked={chosen.value.has(type)} aria-invalid={error ? "true" : undefined}
                onChange={(event) => choose(type, event.currentTarget.checked)} />
              <span><code>{type}</code> <span class="note">{text}</span></span>
            </label>
          ))}
        </div>
      ))}
      {error && <p class="wrong" role="alert">{error}</p>}
    </fieldset>
  );
}
