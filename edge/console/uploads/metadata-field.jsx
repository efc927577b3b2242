import { useId } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { Prose } from "../../pages/kit/prose.jsx";
import { MAX_METADATA_ROWS } from "./edit.js";

/** @typedef {import("./edit.js").MetadataRow} MetadataRow */

/**
 * The owner's own data: names and values.
 * @param {{ rows: MetadataRow[], error?: string | null, onChange: (rows: MetadataRow[]) => void }} props
 */
export function MetadataField({ rows, error, onChange }) {
  const id = useId();
  const change = (/** @type {number} */ at, /** @type {Partial<MetadataRow>} */ part) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)));
  return (
    <div class="field" role="group" aria-labelledby={id} aria-describedby={error ? `${id}-error` : undefined}>
      <span class="label" id={id}>Metadata</span>
      {rows.map((row, at) => (
        <div class="pair" key={at}>
          <input class="input mono" aria-label={`Name ${at + 1}`} placeholder="Name" value={row.name} maxLength={40}
            autocomplete="off" spellcheck={false}
            onInput={(event) => change(at, { name: event.currentTarget.value })} />
          <input class="input" aria-label={`Value ${at + 1}`} placeholder="Value" value={row.value} maxLength={500}
            dir="auto" autocomplete="off" onInput={(event) => change(at, { value: event.currentTarget.value })} />
          <Button kind="quiet" icon aria-label={`Remove ${row.name || `row ${at + 1}`}`}
            onClick={() => onChange(rows.filter((_, index) => index !== at))}>×</Button>
        </div>
      ))}
      {error && <p class="error" id={`${id}-error`}><Prose text={error} /></p>}
      {rows.length < MAX_METADATA_ROWS && (
        <div>
          <Button onClick={() => onChange([...rows, { name: "", value: "" }])}>
            {rows.length ? "Add row" : "Add metadata"}
          </Button>
        </div>
      )}
    </div>
  );
}
