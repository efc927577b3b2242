import { useEffect, useId, useRef } from "preact/hooks";

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
    return () => {
      // What opened it may be gone, for example with the thing that was deleted.
      const isThere = opener?.isConnected && opener !== document.body;
      (isThere ? opener : document.getElementById("main"))?.focus({ preventScroll: !isThere });
    };
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
