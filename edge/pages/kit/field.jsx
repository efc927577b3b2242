import { useId } from "preact/hooks";
import { Prose } from "./prose.jsx";

/** @typedef {import("preact").ComponentChildren} Children */
/** @typedef {{ label: string, help?: Children, error?: string | null, optional?: boolean }} Frame */
/** @typedef {{ id: string, "aria-describedby": string | undefined, "aria-invalid": "true" | undefined }} Ids */

/**
 * The frame of a control: label above, help and error below. `children` gets the attributes that connect them.
 * @param {Frame & { count?: { used: number, most: number }, children: (ids: Ids) => Children }} props
 */
export function Field({ label, help, error, optional, count, children }) {
  const id = useId();
  // An error says what is right, so it takes the place of the help.
  const note = error ? `${id}-error` : help ? `${id}-help` : undefined;
  // A counter far from the limit is noise.
  const near = count && count.used > count.most * 0.8;
  return (
    <div class="field">
      <label for={id}>{label}{optional && <span class="dim"> (optional)</span>}</label>
      {children({ id, "aria-describedby": note, "aria-invalid": error ? "true" : undefined })}
      {error && <p class="error" id={`${id}-error`}><Prose text={error} /></p>}
      {help && !error && <p class="help" id={`${id}-help`}>{help}</p>}
      {near && <p class={`count${count.used > count.most ? " over" : ""}`}>{count.used} of {count.most}</p>}
    </div>
  );
}

/**
 * @param {Frame & { value: string, onInput: (value: string) => void, most?: number, multiline?: boolean,
 *   input?: Record<string, any> }} props `most`: the characters that fit. `input`: more attributes of the control.
 */
export function TextField({ value, onInput, most, multiline, input, ...frame }) {
  const Control = multiline ? "textarea" : "input";
  return (
    <Field {...frame} count={most ? { used: [...value].length, most } : undefined}>
      {(ids) => <Control class="input" {...ids} dir="auto" value={value} autocomplete="off" {...input}
        onInput={(/** @type {any} */ event) => onInput(event.currentTarget.value)} />}
    </Field>
  );
}

/**
 * @param {Frame & { value: string, onInput: (value: string) => void,
 *   options: { value: string, label: string }[] }} props
 */
export function SelectField({ value, onInput, options, ...frame }) {
  return (
    <Field {...frame}>
      {(ids) => (
        <select class="input" {...ids} value={value} onInput={(event) => onInput(event.currentTarget.value)}>
          {options.map((option) => <option key={option.value} value={option.value}>{option.label}</option>)}
        </select>
      )}
    </Field>
  );
}

/**
 * A choice between a few values, each with what it means.
 * @template Value
 * @param {{ label: string, value: Value, options: { value: Value, label: string, meaning: string }[],
 *   error?: string | null, onInput: (value: Value) => void }} props
 */
export function RadioField({ label, value, options, error, onInput }) {
  const id = useId();
  return (
    <fieldset class="field choice" aria-describedby={error ? `${id}-error` : undefined}>
      <legend>{label}</legend>
      {options.map((option, at) => (
        <div class="explained" key={at}>
          <label class="check">
            <input type="radio" name={id} checked={option.value === value} aria-describedby={`${id}-${at}`}
              onChange={() => onInput(option.value)} />
            <span>{option.label}</span>
          </label>
          <p class="note" id={`${id}-${at}`}>{option.meaning}</p>
        </div>
      ))}
      {error && <p class="error" id={`${id}-error`}><Prose text={error} /></p>}
    </fieldset>
  );
}

/**
 * @param {{ label: string, help?: Children, error?: string | null, checked: boolean, disabled?: boolean,
 *   onChange: (checked: boolean) => void }} props
 */
export function Check({ label, help, error, checked, disabled, onChange }) {
  const id = useId();
  const note = error || help ? `${id}-note` : undefined;
  const box = (
    <label class="check">
      <input type="checkbox" checked={checked} disabled={disabled} aria-describedby={note}
        aria-invalid={error ? "true" : undefined} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
  if (!note) return box;
  return (
    <div class="explained">
      {box}
      <p class={error ? "error" : "note"} id={note}>{error ? <Prose text={error} /> : help}</p>
    </div>
  );
}

/** Moves the keyboard to the first field that is wrong: it is marked with the next rendering. */
export function focusError() {
  const focus = () => /** @type {HTMLElement | null} */ (document.querySelector("[aria-invalid]"))?.focus();
  requestAnimationFrame(focus);
}
