// A list that is read page by page with a cursor.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { failureFrom } from "./api.js";

/**
 * @template Row
 * @param {(cursor: string | null) => Promise<{ rows: Row[], next: string | null }>} readPage
 * @param {string} key Another key is another list.
 */
export function usePages(readPage, key) {
  const rows = useSignal(/** @type {Row[]} */ ([]));
  const next = useSignal(/** @type {string | null | undefined} */ (undefined));
  const isLoading = useSignal(false);
  const failure = useSignal(/** @type {import("../pages/kit/failures.js").Failure | null} */ (null));
  const round = useRef(0);
  const load = async () => {
    if (isLoading.peek()) return;
    const mine = round.current;
    [isLoading.value, failure.value] = [true, null];
    try {
      const page = await readPage(next.peek() ?? null);
      if (mine !== round.current) return;
      rows.value = [...rows.value, ...page.rows];
      next.value = page.next;
    } catch (error) {
      if (mine === round.current) failure.value = failureFrom(error);
    }
    if (mine === round.current) isLoading.value = false;
  };
  const reload = () => {
    round.current += 1;
    [rows.value, next.value, isLoading.value] = [[], undefined, false];
    return load();
  };
  /** Shows a change that is known without reading the list again. @param {(rows: Row[]) => Row[]} of */
  const change = (of) => {
    rows.value = of(rows.peek());
  };
  useEffect(() => {
    reload();
  }, [key]);
  return {
    rows: rows.value, hasLoaded: next.value !== undefined, hasMore: Boolean(next.value), isLoading: isLoading.value,
    failure: failure.value, load, reload, change,
  };
}
