// What is asked before the key is replaced or deleted.
import { useSignal } from "@preact/signals";
import { Button } from "../../pages/kit/button.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { RadioField, TextField } from "../../pages/kit/field.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { useAction } from "../../pages/kit/action.js";
import { deleteKey, isHint, makeKey } from "./current.js";

const NOW = 0;
/** The times for which the old key may stay valid after a rotation. */
const OLD_KEY_TIMES = [
  { value: NOW, label: "Revoke it now", meaning: "Uploads in progress are canceled, and one-time tokens stop working. "
    + "Choose this if the key may have leaked." },
  { value: 3600, label: "1 hour", meaning: "Both keys work for an hour, and uploads in progress continue." },
  { value: 86_400, label: "24 hours", meaning: "Both keys work for a day, and uploads in progress continue." },
];

/**
 * @param {{ hint: string, hasPrevious: boolean, onClose: () => void, onMade: (full: string) => void }} props
 *   `hasPrevious`: whether the key before this one is still valid.
 */
export function RotateDialog({ hint, hasPrevious, onClose, onMade }) {
  const seconds = useSignal(NOW);
  const { busy, failure, start } = useAction(async () => {
    onMade(await makeKey("rotate", { previous_key_valid_seconds: seconds.value }));
  });
  return (
    <Dialog title="Rotate the key?" onClose={onClose} onSubmit={start} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="danger" sure type="submit" busy={busy}>Rotate key</Button>
    </>}>
      <p>A new key replaces <code class="key-hint">{hint}</code>. This cannot be undone.</p>
      <OldKeyTime seconds={seconds} />
      {hasPrevious && <p>The key from before the last rotation stops working immediately in any case.</p>}
      {failure && <FailureNote failure={failure} />}
    </Dialog>
  );
}

/** @param {{ seconds: import("@preact/signals").Signal<number> }} props */
function OldKeyTime({ seconds }) {
  // Otherwise, holding Enter on the button that opens the dialog would rotate the key.
  const pressed = (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && event.preventDefault();
  return (
    <div onKeyDown={pressed}>
      <RadioField label="How long the old key stays valid" value={seconds.value} options={OLD_KEY_TIMES}
        onInput={(value) => (seconds.value = value)} />
    </div>
  );
}

/** @param {{ hint: string, hasPrevious: boolean, onClose: () => void }} props */
export function DeleteDialog({ hint, hasPrevious, onClose }) {
  const typed = useSignal("");
  const wrong = useSignal(false);
  const { busy, failure, start } = useAction(async () => {
    await deleteKey();
    toast("Key deleted");
  });
  const submit = () => (isHint(typed.value, hint) ? start() : void (wrong.value = true));
  return (
    <Dialog title="Delete the key?" onClose={onClose} onSubmit={submit} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="danger" sure type="submit" busy={busy}>Delete key</Button>
    </>}>
      <p>
        <code class="key-hint">{hint}</code> stops working immediately. This cannot be undone, but you can create a new
        key. Your videos are kept.
      </p>
      <Consequences hasPrevious={hasPrevious} />
      <TextField label={`Type ${hint} to confirm`} value={typed.value} help="You can type three dots instead of “…”."
        error={wrong.value ? `This is not the key's hint. Type ${hint}.` : null}
        onInput={(value) => { typed.value = value; wrong.value = false; }}
        input={{ spellcheck: false, dir: "ltr", autofocus: true }} />
      {failure && <FailureNote failure={failure} />}
    </Dialog>
  );
}

/** @param {{ hasPrevious: boolean }} props */
function Consequences({ hasPrevious }) {
  return (
    <ul class="says">
      {hasPrevious && <li>The previous key stops working too.</li>}
      <li>Programs that use it get errors until you give them a new key.</li>
      <li>Uploads in progress are canceled and deleted.</li>
      <li>One-time tokens that you have created stop working.</li>
    </ul>
  );
}
