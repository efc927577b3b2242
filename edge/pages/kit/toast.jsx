import { signal } from "@preact/signals";

/** @typedef {{ label: string, run: () => void }} ToastAction */
/** @typedef {{ id: number, text: string, action?: ToastAction }} Toast */

const toasts = signal(/** @type {Toast[]} */ ([]));
let last = 0;

/**
 * Says what was done, for a few seconds. Returns a function that removes it.
 * @param {string} text
 * @param {{ undo?: () => void, action?: ToastAction }} [options] `action`: another button than Undo.
 */
export function toast(text, { undo, action = undo && { label: "Undo", run: undo } } = {}) {
  const id = (last += 1);
  toasts.value = [...toasts.value.slice(-2), { id, text, action }];
  const timer = setTimeout(() => close(id), action ? 10_000 : 5_000);
  return () => {
    clearTimeout(timer);
    close(id);
  };
}

/** @param {number} id */
function close(id) {
  toasts.value = toasts.value.filter((shown) => shown.id !== id);
}

/** The place of the toasts: once, in the shell. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, action }) => (
        <div class="toast" key={id}>
          <span>{text}</span>
          {action && <button type="button" onClick={() => { close(id); action.run(); }}>{action.label}</button>}
        </div>
      ))}
    </div>
  );
}
