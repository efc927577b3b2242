import { useEffect, useRef } from "preact/hooks";

/**
 * Keeps the focus on the page when one step takes the place of another, and with it of the control that had the focus.
 * @param {unknown} step Another value is another step.
 * @returns {import("preact").RefObject<any>} Around the steps: an element with `tabindex={-1}`.
 */
export function useKeptFocus(step) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const before = useRef(step);
  useEffect(() => {
    const isLost = !document.activeElement || document.activeElement === document.body;
    if (before.current !== step && isLost) place.current?.focus({ preventScroll: true });
    before.current = step;
  }, [step]);
  return place;
}
