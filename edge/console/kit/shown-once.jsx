import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "./button.jsx";
import { CopyButton } from "./copy.jsx";
import { Dialog } from "./dialog.jsx";
import { Check, Field } from "./field.jsx";

/** The full key, which nobody can read again. @param {{ full: string, onClose: () => void }} props */
export function ShownOnce({ full, onClose }) {
  const saved = useSignal(false);
  useEffect(() => {
    const warn = (/** @type {Event} */ event) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, []);
  return (
    <Dialog title="Save your key now" onClose={onClose} locked onSubmit={() => saved.value && onClose()}
      foot={<Button kind="main" type="submit" disabled={!saved.value}>Done</Button>}>
      <p>You cannot see it again. If you lose it, rotate it to get a new one.</p>
      <Field label="API key"
        help="Keep it like a password: in a secret store or an environment variable, never in code or on a page.">
        {(ids) => (
          <textarea class="input mono full-key" {...ids} readOnly value={full} spellcheck={false}
            onFocus={(event) => event.currentTarget.select()} />
        )}
      </Field>
      <div><CopyButton text={full} kind="plain" label="Copy key" /></div>
      <Check label="I have saved it" checked={saved.value} onChange={(checked) => (saved.value = checked)} />
    </Dialog>
  );
}
