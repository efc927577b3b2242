import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { FILTER_STATES, hasFilters, NO_FILTERS } from "./filters.js";

/** @typedef {import("./filters.js").Filters} Filters */

/** The filters of the list. @param {{ filters: Filters, onChange: (filters: Filters) => void }} props */
export function FilterBar({ filters, onChange }) {
  const id = useId();
  const isOpen = useSignal(Boolean(filters.external_id || filters.from || filters.until));
  /** @param {Partial<Filters>} change */
  const change = (change) => onChange({ ...filters, ...change });
  return (
    <form class={`filters${isOpen.value ? " open" : ""}`} role="search" aria-label="Filter uploads"
      onSubmit={(event) => event.preventDefault()}>
      <select class="input" aria-label="State" value={filters.state}
        onInput={(event) => change({ state: event.currentTarget.value })}>
        <option value="">All states</option>
        {FILTER_STATES.map(({ value, label }) => <option key={value} value={value}>{label}</option>)}
      </select>
      <span class="toggle">
        <Button aria-expanded={isOpen.value} aria-controls={id} onClick={() => (isOpen.value = !isOpen.value)}>
          {isOpen.value ? "Fewer filters" : "More filters"}
        </Button>
      </span>
      <div class="more" id={id}>
        <ExternalId value={filters.external_id} onInput={(external_id) => change({ external_id })} />
        <Day label="From" value={filters.from} max={filters.until} onInput={(from) => change({ from })} />
        <Day label="To" value={filters.until} min={filters.from} onInput={(until) => change({ until })} />
      </div>
      {hasFilters(filters) && <Button kind="quiet" onClick={() => onChange(NO_FILTERS)}>Clear</Button>}
    </form>
  );
}

/** @param {{ value: string, onInput: (value: string) => void }} props */
function ExternalId({ value, onInput }) {
  const typed = useSignal(value);
  const timer = useRef(0);
  useEffect(() => {
    typed.value = value;
  }, [value]);
  const typing = (/** @type {string} */ text) => {
    typed.value = text;
    clearTimeout(timer.current);
    // The list is asked for once a pause shows that the id is complete: only whole ids match.
    timer.current = setTimeout(() => onInput(text.trim()), 400);
  };
  return <input class="input" type="search" aria-label="External ID" placeholder="External ID" maxLength={128}
    autocomplete="off" spellcheck={false} value={typed.value} onInput={(event) => typing(event.currentTarget.value)} />;
}

/** @param {{ label: string, value: string, min?: string, max?: string, onInput: (value: string) => void }} props */
function Day({ label, value, min, max, onInput }) {
  return (
    <label class="day">
      <span class="dim">{label}</span>
      <input class="input" type="date" value={value} min={min || undefined} max={max || undefined}
        onChange={(event) => onInput(event.currentTarget.value)} />
    </label>
  );
}
