import { useSignal } from "@preact/signals";
import { Button } from "../../pages/kit/button.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { TextField } from "../../pages/kit/field.jsx";

/**
 * Asks for the number of videos before a decision about many.
 * @param {{ count: number, verb: string, onClose: () => void, onConfirm: () => void }} props
 */
export function ConfirmMany({ count, verb, onClose, onConfirm }) {
  const typed = useSignal("");
  const isRight = typed.value.trim() === String(count);
  return (
    <Dialog title={`${verb} ${count} videos?`} onClose={onClose} onSubmit={() => isRight && onConfirm()}
      foot={<>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="main" type="submit" disabled={!isRight}>{verb} {count} videos</Button>
      </>}>
      <p>This is one decision about all of them. You can undo it for ten seconds.</p>
      <TextField label={`Type ${count} to confirm`} value={typed.value} input={{ inputMode: "numeric", autofocus: true }}
        onInput={(text) => (typed.value = text)} />
    </Dialog>
  );
}
