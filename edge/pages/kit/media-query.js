import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/**
 * Whether a media query matches now.
 * @param {string} text
 */
export function useMediaQuery(text) {
  const matches = useSignal(matchMedia(text).matches);
  useEffect(() => {
    const query = matchMedia(text);
    const changed = () => (matches.value = query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, [text]);
  return matches.value;
}
