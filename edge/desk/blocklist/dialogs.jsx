import { useSignal } from "@preact/signals";
import { useAction } from "../../pages/kit/action.js";
import { Button } from "../../pages/kit/button.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { focusError, TextField } from "../../pages/kit/field.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { del, post } from "../api.js";
import { NO_REASON, ReasonDialog, ReasonField } from "../reason-dialog.jsx";
import { BlockEffect } from "./effect.jsx";
import { isHash, normalized, shortened } from "./hash.js";

/** @param {{ onClose: () => void, onDone: (hash: string) => void }} props */
export function AddDialog({ onClose, onDone }) {
  const form = useSignal({ hash: "", reason: "" });
  const tried = useSignal(false);
  const hash = normalized(form.value.hash);
  const reason = form.value.reason.trim();
  const { busy, failure, start } = useAction(async () => {
    await post("/moderation/hashes", { hash, reason });
    toast(`${shortened(hash)} is blocked`);
    onClose();
    onDone(hash);
  });
  const submit = () => {
    tried.value = true;
    if (isHash(hash) && reason) start();
    else focusError();
  };
  return (
    <Dialog title="Add a hash" onClose={onClose} onSubmit={submit} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="main" type="submit" busy={busy}>Add hash</Button>
    </>}>
      <BlockEffect />
      <TextField label="PDQ hash" help="64 hexadecimal digits." value={form.value.hash}
        error={tried.value && !isHash(hash) ? "A PDQ hash has 64 digits, each from 0 to 9 or a to f." : null}
        input={{ class: "input mono", dir: "ltr", spellcheck: false, autocapitalize: "none", autofocus: true }}
        onInput={(text) => (form.value = { ...form.value, hash: text })} />
      <ReasonField value={form.value.reason} error={tried.value && !reason ? NO_REASON : null}
        onInput={(text) => (form.value = { ...form.value, reason: text })} />
      {failure && <FailureNote failure={failure} />}
    </Dialog>
  );
}

/** @param {{ row: import("../types").BlockedHash, onClose: () => void, onDone: () => void }} props */
export function RemoveDialog({ row, onClose, onDone }) {
  const remove = async (/** @type {string} */ reason) => {
    await del("/moderation/hashes", { hash: row.hash, reason });
    toast(`${shortened(row.hash)} is no longer blocked`);
    onDone();
  };
  return (
    <ReasonDialog title="Remove the hash?" verb="Remove hash" isDanger onClose={onClose} onSend={remove}>
      <p><code class="whole">{row.hash}</code></p>
      <ul class="says">
        <li>New videos with this picture are no longer rejected or sent to the queue because of it.</li>
        <li>The hash is removed for every video it was taken from, even for videos that stay rejected.</li>
        <li>Rejected videos stay rejected. To publish one, restore it, or ask its owner to upload it again.</li>
      </ul>
    </ReasonDialog>
  );
}
