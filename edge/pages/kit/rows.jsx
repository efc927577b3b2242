import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

const PART_LENGTH = 50;

/**
 * The rows of a list, in parts: only those near the view are in the document, so that thousands of rows scroll well.
 * @template Row
 * @param {{ rows: Row[], children: (row: Row) => import("preact").ComponentChildren }} props
 */
export function Rows({ rows, children }) {
  const starts = Array.from({ length: Math.ceil(rows.length / PART_LENGTH) }, (_, part) => part * PART_LENGTH);
  return (
    <div class="parts">
      {starts.map((start) => (
        <Part key={start}>{() => rows.slice(start, start + PART_LENGTH).map(children)}</Part>
      ))}
    </div>
  );
}

/** @param {{ children: () => import("preact").ComponentChildren }} props */
function Part({ children }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const isNear = useSignal(true);
  const height = useRef(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new IntersectionObserver(([entry]) => {
      // What somebody has opened or is about to use stays.
      const isInUse = element.contains(document.activeElement) || element.querySelector(".open");
      const isWanted = entry?.isIntersecting || Boolean(isInUse);
      if (isNear.peek() && entry) height.current = entry.boundingClientRect.height;
      isNear.value = isWanted;
    }, { rootMargin: "1500px 0px" });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={place} style={{ height: isNear.value ? "" : `${height.current}px` }}>
      {isNear.value && <ul class="rows">{children()}</ul>}
    </div>
  );
}
