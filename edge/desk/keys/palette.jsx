// The command palette: everything that can be done now, by typing a part of its name.
import { useSignal } from "@preact/signals";
import { useEffect, useId, useMemo, useRef } from "preact/hooks";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { navigate } from "../../pages/kit/router.js";
import { extras, isOffered, run } from "./commands.js";
import { BINDINGS } from "./keymap.js";
import { matches } from "./match.js";

/** What the palette itself is, and keys that only move. */
const LEFT_OUT = ["palette", "policy", "open", "next-row", "previous-row", "close"];

/** @param {string} text */
const find = (text) => navigate(`/desk/find?q=${encodeURIComponent(text)}`);

/** @param {{ onClose: () => void }} props */
export default function Palette({ onClose }) {
  const id = useId();
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const list = useRef(/** @type {HTMLUListElement | null} */ (null));
  const typed = useSignal("");
  const at = useSignal(0);
  useEffect(() => input.current?.focus(), []);
  // What could be done when it was opened.
  const all = useMemo(() => [
    ...BINDINGS.filter((binding) => !LEFT_OUT.includes(binding.id) && isOffered(binding.id))
      .map((binding) => ({ label: binding.label, hint: binding.keys[0], run: () => run(binding.id) })),
    ...extras(),
  ], []);
  const text = typed.value.trim();
  const found = [
    ...all.filter(({ label }) => matches(label, text)),
    ...(text ? [{ label: `Find “${text}”`, hint: undefined, run: () => find(text) }] : []),
  ];
  const current = Math.min(at.value, found.length - 1);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const choose = (/** @type {number} */ index) => {
    const command = found[index];
    onClose();
    // The command acts on the page as it is without the dialog.
    setTimeout(() => command?.run());
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    at.value = (current + by + found.length) % found.length;
  };
  return (
    <Dialog title="Commands" onClose={onClose} onSubmit={() => choose(current)} foot={null}>
      <input class="input" ref={input} role="combobox" aria-label="Command" aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length ? `${id}-${current}` : undefined} aria-autocomplete="list" autocomplete="off"
        spellcheck={false} placeholder="Type a command or search text" value={typed.value} onKeyDown={pressed}
        onInput={(event) => { typed.value = event.currentTarget.value; at.value = 0; }} />
      <ul class="commands" ref={list} role="listbox" id={`${id}-list`} aria-label="Commands" tabindex={-1}>
        {found.map(({ label, hint }, index) => (
          <li key={label} id={`${id}-${index}`} role="option" aria-selected={index === current}
            onClick={() => choose(index)}>
            <bdi class="cut">{label}</bdi>{hint && <kbd>{hint}</kbd>}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
