// The signing secret of a webhook, which is shown once.
import { signal } from "@preact/signals";
import { CodeTabs } from "../../pages/kit/code.jsx";
import { ShownOnce } from "../../pages/kit/shown-once.jsx";
import { RECEIVERS } from "./snippets.js";

const shown = signal(/** @type {string | null} */ (null));

/** Shows a new secret above whatever page comes next. @param {string} secret */
export function showSecret(secret) {
  shown.value = secret;
}

/** The place of the dialog. @param {{ isRotated: boolean }} props */
export function NewSecret({ isRotated }) {
  if (!shown.value) return null;
  return (
    <ShownOnce name="secret" label="Signing secret" secret={shown.value} onClose={() => (shown.value = null)}
      lead="If you lose it, rotate it to get a new one."
      help="Treat it like a password. Your server uses it to verify that an event comes from this service.">
      {isRotated && <p>For a day, events are signed with both secrets, so nothing is rejected while you replace it.</p>}
      <details class="more">
        <summary>Verify the signature</summary>
        <CodeTabs label="Receivers" tabs={RECEIVERS} />
      </details>
    </ShownOnce>
  );
}

/** A secret was made that could not be shown. @param {{ uuid: string }} props */
export function Unseen({ uuid }) {
  return (
    <p class="bar" role="alert">
      <span>The secret was created but could not be shown. Rotate it to get a new one.</span>
      <a href={`/console/webhooks/${uuid}`}>Open the webhook</a>
    </p>
  );
}
