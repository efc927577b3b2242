import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "./button.jsx";
import { CopyButton } from "./copy.jsx";
import { Dialog } from "./dialog.jsx";
import { Check, Field } from "./field.jsx";

/** @typedef {import("preact").ComponentChildren} Children */

/**
 * A secret that nobody can read again.
 * @param {{ name: string, label: string, secret: string, lead: Children, help: Children, children?: Children,
 *   onClose: () => void }} props
 *   `name`: what it is called in a sentence. `lead`: what to do if it is lost. `help`: how to keep it. `children`: how
 *   to use it.
 */
export function ShownOnce({ name, label, secret, lead, help, children, onClose }) {
  const saved = useSignal(false);
  useEffect(() => {
    const warn = (/** @type {Event} */ event) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, []);
  return (
    <Dialog title={`Save your ${name} now`} onClose={onClose} locked onSubmit={() => saved.value && onClose()}
      foot={<Button kind="main" type="submit" disabled={!saved.value}>Done</Button>}>
      <p>You cannot see it again. {lead}</p>
      <Field label={label} help={help}>
        {(ids) => (
          <textarea class="input mono full-key" {...ids} readOnly value={secret} spellcheck={false}
            onFocus={(event) => event.currentTarget.select()} />
        )}
      </Field>
      <div><CopyButton text={secret} kind="plain" label={`Copy ${name}`} /></div>
      {children}
      <Check label="I have saved it" checked={saved.value} onChange={(checked) => (saved.value = checked)} />
    </Dialog>
  );
}
