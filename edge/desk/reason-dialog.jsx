import { useSignal } from "@preact/signals";
import { useAction } from "../pages/kit/action.js";
import { Button } from "../pages/kit/button.jsx";
import { Dialog } from "../pages/kit/dialog.jsx";
import { FailureNote } from "../pages/kit/failure.jsx";
import { focusError, TextField } from "../pages/kit/field.jsx";

/** The service accepts as many characters. */
export const MAX_REASON = 500;
export const NO_REASON = "Enter a reason. Colleagues see it in the history.";

/**
 * Asks why.
 * @param {{ title: string, verb: string, isDanger?: boolean, children: import("preact").ComponentChildren,
 *   onClose: () => void, onSend: (reason: string) => Promise<void> }} props
 */
export function ReasonDialog({ title, verb, isDanger, children, onClose, onSend }) {
  const reason = useSignal("");
  const error = useSignal(/** @type {string | null} */ (null));
  const action = useAction(async () => {
    await onSend(reason.value.trim());
    onClose();
  });
  const submit = () => {
    error.value = reason.value.trim() ? null : NO_REASON;
    if (error.value) focusError();
    else action.start();
  };
  return (
    <Dialog title={title} onClose={onClose} onSubmit={submit} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind={isDanger ? "danger" : "main"} sure={isDanger} type="submit" busy={action.busy}>{verb}</Button>
    </>}>
      {children}
      <ReasonField value={reason.value} error={error.value} isFirst onInput={(text) => (reason.value = text)} />
      {action.failure && <FailureNote failure={action.failure} />}
    </Dialog>
  );
}

/**
 * @param {{ value: string, error: string | null, isFirst?: boolean, onInput: (text: string) => void }} props
 *   `isFirst`: it has the focus when its dialog opens.
 */
export function ReasonField({ value, error, isFirst, onInput }) {
  return (
    <TextField label="Reason (for colleagues)" most={MAX_REASON} error={error} value={value}
      input={{ maxLength: MAX_REASON, autofocus: isFirst }} onInput={onInput} />
  );
}
