import { useEffect, useId, useRef } from "preact/hooks";

/**
 * Moves the focus to what opened the dialog, unless it has gone elsewhere. The button that opened the dialog may be gone
 * with what it was for: then the keyboard goes on in the page.
 * @param {HTMLElement | null} opener
 */
function giveBack(opener) {
  if (document.activeElement && document.activeElement !== document.body) return;
  const back = opener?.isConnected && opener !== document.body ? opener : document.getElementById("main");
  back?.focus({ preventScroll: true });
}

/**
 * A modal dialog, open as long as it is rendered. Only for what cannot be undone, or is shown once.
 * @param {{ title: string, onClose: () => void, locked?: boolean, onSubmit?: () => void,
 *   foot: import("preact").ComponentChildren, children: import("preact").ComponentChildren }} props
 *   `locked`: Escape does not close it. `foot`: its buttons.
 */
export function Dialog({ title, onClose, locked, onSubmit, foot, children }) {
  const id = useId();
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    const opener = /** @type {HTMLElement | null} */ (document.activeElement);
    dialog.current?.showModal();
    // Nothing behind a modal dialog takes the focus before the dialog is gone.
    return () => setTimeout(() => giveBack(opener));
  }, []);
  const cancelled = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!locked) onClose();
  };
  // Chromium closes a dialog on a second Escape without asking.
  const pressed = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && cancelled(event);
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={cancelled} onKeyDown={pressed}>
      <form onSubmit={(event) => { event.preventDefault(); onSubmit?.(); }}>
        <h2 id={id}>{title}</h2>
        {children}
        <div class="foot">{foot}</div>
      </form>
    </dialog>
  );
}
