// The rows of the queue, and the keys that move through them.
import { useEffect, useRef } from "preact/hooks";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { may } from "../api.js";
import { useCommands } from "../keys/commands.js";
import { End, Failed, Filters, Fresh } from "./around.jsx";
import { rowOf } from "./fold.js";
import { queue, selected, toggleSelected } from "./queue.js";
import { Row } from "./row.jsx";
import { Selection } from "./selection.jsx";
import { shownRows } from "./shown.js";
import { neighbour } from "./steps.js";

/** The case that was opened last: the keyboard goes on at its row. */
let lastOpened = /** @type {string | null} */ (null);

/** The row of a video, or of its group. @param {HTMLElement | null} list @param {string | null} uuid */
const findRow = (list, uuid) => list?.querySelector(`[data-uuid="${rowOf(shownRows.peek(), uuid)?.uuid}"]`);

/** @param {HTMLElement | null} list @param {string} uuid */
function focusRow(list, uuid) {
  /** @type {HTMLElement | null | undefined} */ (findRow(list, uuid)?.querySelector("a"))?.focus();
}

/** @param {{ uuid: string | null, filter: import("./filters.js").Filter, search: string }} props */
export function List({ uuid, filter, search }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const focusedRow = () => document.activeElement?.closest("[data-uuid]")?.getAttribute("data-uuid") ?? null;
  const move = (/** @type {1 | -1} */ by) => {
    const row = neighbour(shownRows.peek(), focusedRow(), by);
    if (row) focusRow(place.current, row.uuid);
  };
  useEffect(() => {
    queue.isHeld.current = () => isInUse(place.current);
    return () => {
      queue.isHeld.current = () => false;
    };
  }, []);
  useEffect(() => {
    if (uuid) revealRow(place.current, uuid);
  }, [uuid, queue.hasLoaded.value]);
  useEffect(() => {
    const left = uuid === null ? lastOpened : null;
    lastOpened = uuid;
    const timer = setTimeout(() => left && focusRow(place.current, left));
    return () => clearTimeout(timer);
  }, [uuid]);
  // With a case open, these keys lead from case to case.
  useCommands(uuid ? {} : {
    "next-row": () => move(1), "previous-row": () => move(-1),
    select: may("decide") && (() => {
      const row = rowOf(shownRows.peek(), focusedRow());
      if (row) toggleSelected(row);
    }),
    close: selected.value.size > 0 && (() => (selected.value = new Set())),
  });
  const rows = shownRows.value;
  return (
    <section class="queue" ref={place} aria-label="Queue">
      <PageHead title="Queue" isBeside={uuid !== null} />
      <Filters filter={filter} uuid={uuid} />
      <Fresh />
      <Failed />
      {rows.length > 0 && (
        <ul class="queue-rows">
          {rows.map((row) => (
            <Row key={row.key} row={row} href={`/desk/video/${row.uuid}${search}`}
              isOpen={row.members.some((member) => member.uuid === uuid)} canSelect={uuid === null && may("decide")} />
          ))}
        </ul>
      )}
      <End filter={filter} />
      {uuid === null && selected.value.size > 0 && <Selection />}
    </section>
  );
}

/**
 * Scrolls the list, and only the list, until a row is in view.
 * @param {HTMLElement | null} list @param {string} uuid
 */
function revealRow(list, uuid) {
  const row = findRow(list, uuid)?.getBoundingClientRect();
  if (!list || !row || getComputedStyle(list).overflowY !== "auto") return;
  const view = list.getBoundingClientRect();
  const isHidden = row.top < view.top || row.bottom > Math.min(view.bottom, innerHeight);
  if (isHidden) list.scrollTop += row.top - view.top - view.height / 3;
}

/** Whether somebody points at the list, is in it with the keyboard, or has scrolled. @param {HTMLElement | null} list */
function isInUse(list) {
  const rows = list?.querySelector(".queue-rows");
  return Boolean(rows?.matches(":hover, :focus-within")) || scrollY > 0 || Boolean(list?.scrollTop);
}
