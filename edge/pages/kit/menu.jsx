import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";

/** @typedef {{ label: string, onSelect?: () => void, href?: string, danger?: boolean, checked?: boolean }} Item */

/**
 * A button that opens a list of actions.
 * @param {{ label: string, items: Item[], children?: import("preact").ComponentChildren, place?: string,
 *   look?: string, note?: string }} props
 *   `label` names it; `children` is what the button shows, else the label. `place`: "start", "above" or both.
 *   `note`: a text above the actions.
 */
export function Menu({ label, items, children = label, place = "", look = "quiet", note }) {
  const id = useId();
  const open = useSignal(false);
  const root = useRef(/** @type {HTMLDivElement | null} */ (null));
  const entries = () =>
    [.../** @type {NodeListOf<HTMLElement>} */ (root.current?.querySelectorAll("[role^=menuitem]") ?? [])];
  const close = () => {
    open.value = false;
    root.current?.querySelector("button")?.focus();
  };
  useEffect(() => {
    if (open.value) entries()[0]?.focus();
  }, [open.value]);
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (!open.value) return;
    const all = entries();
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    /** @type {Record<string, number>} */
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 };
    if (event.key === "Escape") close();
    else if (event.key in steps) all[(steps[event.key] ?? 0) % all.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const left = (/** @type {FocusEvent} */ event) => {
    if (!root.current?.contains(/** @type {Node | null} */ (event.relatedTarget))) open.value = false;
  };
  return (
    <div class={`menu ${place}`} ref={root} onKeyDown={pressed} onFocusOut={left}>
      <button type="button" class={`button ${look}`} aria-haspopup="menu" aria-expanded={open.value}
        aria-label={children === label ? undefined : label} onClick={() => (open.value = !open.value)}>
        {children}
      </button>
      {open.value && (
        <div role="menu" aria-label={label} aria-describedby={note && id}>
          {note && <span class="note" id={id}>{note}</span>}
          {items.map((item) => <MenuItem key={item.label} item={item} close={close} />)}
        </div>
      )}
    </div>
  );
}

/** @param {{ item: Item, close: () => void }} props */
function MenuItem({ item, close }) {
  const chosen = () => {
    close();
    item.onSelect?.();
  };
  const look = item.danger ? "danger" : undefined;
  if (item.href) {
    return <a role="menuitem" tabindex={-1} class={look} href={item.href} onClick={chosen}>{item.label}</a>;
  }
  const role = item.checked === undefined ? "menuitem" : "menuitemradio";
  return (
    <button type="button" role={role} tabindex={-1} class={look} aria-checked={item.checked} onClick={chosen}>
      {item.label}
    </button>
  );
}
