import { signal } from "@preact/signals";

/** @typedef {{ id: number, text: string, undo?: () => void }} Toast */

const toasts = signal(/** @type {Toast[]} */ ([]));
let last = 0;

/**
 * Says what was done, for a few seconds.
 * @param {string} text
 * @param {{ undo?: () => void }} [options]
 */
export function toast(text, { undo } = {}) {
  const id = (last += 1);
  toasts.value = [...toasts.value.slice(-2), { id, text, undo }];
  setTimeout(() => close(id), undo ? 10_000 : 5_000);
}

/** @param {number} id */
function close(id) {
  toasts.value = toasts.value.filter((shown) => shown.id !== id);
}

/** The place of the toasts: once, in the shell. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, undo }) => (
        <div class="toast" key={id}>
          <span>{text}</span>
          {undo && <button type="button" onClick={() => { close(id); undo(); }}>Undo</button>}
        </div>
      ))}
    </div>
  );
}
