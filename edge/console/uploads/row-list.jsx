import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Row, ROW_HEIGHT } from "./row.jsx";
import { rowsInView } from "./rows.js";

/** @typedef {import("./video-rules.js").Video} Video */

const JUMP_PAUSE_MS = 80;

/** Where the list was scrolled to, in pixels of the list: kept while a video is shown instead of it. */
let place = 0;

/** The video that was opened last: the keyboard goes on at its row. */
let lastOpened = /** @type {string | null} */ (null);

/** Notes that a video was opened, also where it is shown instead of the list. @param {string} uuid */
export function noteOpened(uuid) {
  lastOpened = uuid;
}

/** Forgets the place, for another list. */
export function forgetPlace() {
  place = 0;
}

/**
 * The rows, of which only those in view are in the document.
 * @param {{ rows: Video[], isComplete: boolean, selected: string | null,
 *   scroller: import("preact").RefObject<HTMLElement | null>,
 *   hrefOf: (video: Video) => string, onView: (inView: Video[], isNearEnd: boolean) => void }} props
 *   `scroller` scrolls the list if its style says so; else the page does.
 */
export function RowList({ rows, isComplete, selected, scroller, hrefOf, onView }) {
  const list = useRef(/** @type {HTMLUListElement | null} */ (null));
  const range = useSignal({ start: 0, end: 20 });
  const focused = useSignal(-1);
  const count = rows.length;

  const pending = useRef(0);

  const measure = () => {
    if (!list.current) return;
    const view = viewOf(list.current, scroller.current);
    place = Math.max(0, view.top);
    const next = rowsInView({ ...view, rowHeight: ROW_HEIGHT, count });
    const { start, end } = range.peek();
    if (next.start !== start || next.end !== end) range.value = next;
  };
  const scrolled = () => {
    if (pending.current || !list.current) return;
    const view = viewOf(list.current, scroller.current);
    const { start, end } = range.peek();
    const isFar = view.top > end * ROW_HEIGHT || view.top + view.height < start * ROW_HEIGHT;
    if (!isFar) return measure();
    // Whoever drags through thousands of rows sees their places; the rows come a few times a second.
    pending.current = setTimeout(() => {
      pending.current = 0;
      measure();
    }, JUMP_PAUSE_MS);
  };

  useLayoutEffect(() => {
    if (list.current && place > 0) scrollToPlace(list.current, scroller.current, place);
    measure();
  }, [selected !== null]);
  useLayoutEffect(() => {
    measure();
    document.addEventListener("scroll", scrolled, { capture: true, passive: true });
    addEventListener("resize", measure);
    return () => {
      document.removeEventListener("scroll", scrolled, { capture: true });
      removeEventListener("resize", measure);
    };
  }, [count]);

  const link = (/** @type {string | null} */ uuid) =>
    /** @type {HTMLElement | null | undefined} */ (list.current?.querySelector(`[data-uuid="${uuid}"]`));
  useEffect(() => {
    const left = selected === null ? lastOpened : null;
    lastOpened = selected;
    const timer = setTimeout(() => left && link(left)?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, [selected]);

  const { start, end } = range.value;
  useEffect(() => onView(rows.slice(start, end), end > count - 20), [rows, start, end]);

  const shown = Array.from({ length: Math.max(0, Math.min(end, count) - start) }, (_, at) => start + at);
  // The row with the focus stays in the document, or the keyboard would lose its place.
  if (focused.value >= 0 && focused.value < count && !shown.includes(focused.value)) shown.push(focused.value);
  const moved = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const row = step && focused.value >= 0 && rows[focused.value + step];
    if (!row) return;
    event.preventDefault();
    link(row.content_uuid)?.focus();
  };
  return (
    <ul class="uploads" ref={list} style={{ height: `${count * ROW_HEIGHT}px` }} onKeyDown={moved}
      onFocusOut={() => (focused.value = -1)}>
      {shown.map((at) => (
        <li key={rows[at].content_uuid} style={{ top: `${at * ROW_HEIGHT}px` }} aria-setsize={isComplete ? count : -1}
          aria-posinset={at + 1} onFocusIn={() => (focused.value = at)}>
          <Row video={rows[at]} href={hrefOf(rows[at])} isSelected={rows[at].content_uuid === selected} />
        </li>
      ))}
    </ul>
  );
}

/** @param {HTMLElement | null} scroller */
function scrollsItself(scroller) {
  return scroller !== null && getComputedStyle(scroller).overflowY === "auto";
}

/**
 * Returns how much of the list is above the view, and how high the view is.
 * @param {HTMLElement} list
 * @param {HTMLElement | null} scroller
 */
function viewOf(list, scroller) {
  const own = scroller && scrollsItself(scroller) ? scroller.getBoundingClientRect() : null;
  return { top: (own?.top ?? 0) - list.getBoundingClientRect().top, height: own?.height ?? innerHeight };
}

/**
 * @param {HTMLElement} list
 * @param {HTMLElement | null} scroller
 * @param {number} wanted
 */
function scrollToPlace(list, scroller, wanted) {
  const distance = wanted - viewOf(list, scroller).top;
  (scroller && scrollsItself(scroller) ? scroller : window).scrollBy({ top: distance, behavior: "instant" });
}
