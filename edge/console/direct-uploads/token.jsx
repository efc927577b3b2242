// The token of a new direct upload, which is shown once.
import { signal } from "@preact/signals";
import { CodeTabs } from "../../pages/kit/code.jsx";
import { ShownOnce } from "../../pages/kit/shown-once.jsx";
import { uploadCommands } from "./snippets.js";

/** @typedef {import("./snippets.js").Created} Created */
/** @typedef {{ allowed_origin?: string, user_may_set: string[] }} Rules */

const shown = signal(/** @type {{ created: Created, rules: Rules } | null} */ (null));

/** Shows a new token above whatever page comes next. @param {Created} created @param {Rules} rules */
export function showToken(created, rules) {
  shown.value = { created, rules };
}

/** The place of the dialog. */
export function NewToken() {
  if (!shown.value) return null;
  const { created, rules: { allowed_origin: origin, user_may_set } } = shown.value;
  return (
    <ShownOnce name="token" label="One-time token" secret={created.token} onClose={() => (shown.value = null)}
      lead="If you lose it, revoke it and create another."
      help={origin ? `Give it to one user. It works on pages of ${origin} and in programs.`
        : "Give it to one user. It works only in apps and programs, because no origin is set."}>
      <CodeTabs label="How to upload" tabs={uploadCommands(created, { origin, user_may_set })} />
    </ShownOnce>
  );
}
