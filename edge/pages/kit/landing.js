import { useRef } from "preact/hooks";

/**
 * Whether a part of the page, such as a video beside its list, is the one that the page was opened with. Then the keyboard
 * begins at the top of the page; a part that is opened later takes the focus.
 * @param {string | null} part
 */
export function useLanding(part) {
  const landing = useRef(/** @type {string | null | undefined} */ (part));
  if (landing.current !== part) landing.current = undefined;
  return landing.current === part;
}
