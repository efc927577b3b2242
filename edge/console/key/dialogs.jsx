// What is asked before the key is replaced or deleted.
import { useSignal } from "@preact/signals";
import { Button } from "../../pages/kit/button.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { TextField } from "../../pages/kit/field.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { useAction } from "../../pages/kit/action.js";
import { deleteKey, isHint, makeKey } from "./current.js";

/** @param {{ hint: string, onClose: () => void, onMade: (full: string) => void }} props */
export function RotateDialog({ hint, onClose, onMade }) {
  const { busy, failure, start } = useAction(async () => onMade(await makeKey("rotate")));
  return (
    <Dialog title="Rotate the key?" onClose={onClose} onSubmit={start} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="danger" sure type="submit" busy={busy}>Rotate key</Button>
    </>}>
      <p>You get a new key, and <code>{hint}</code> stops working at once. This cannot be undone.</p>
      <Consequences />
      {failure && <FailureNote failure={failure} />}
    </Dialog>
  );
}

/** @param {{ hint: string, onClose: () => void }} props */
export function DeleteDialog({ hint, onClose }) {
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
        <code>{hint}</code> stops working at once. This cannot be undone, but you can create a new key.
        Your videos stay.
      </p>
      <Consequences />
      <TextField label={`Type ${hint} to confirm`} value={typed.value} help="Three dots are fine in place of “…”."
        error={wrong.value ? `This is not the key's hint. Type ${hint}.` : null}
        onInput={(value) => { typed.value = value; wrong.value = false; }}
        input={{ spellcheck: false, dir: "ltr", autofocus: true }} />
      {failure && <FailureNote failure={failure} />}
    </Dialog>
  );
}

function Consequences() {
  return (
    <ul class="says">
      <li>Programs that use it get an error until they have another key.</li>
      <li>Uploads in progress end, and unfinished ones are deleted.</li>
      <li>One-time tokens that you have given out stop working.</li>
    </ul>
  );
}
