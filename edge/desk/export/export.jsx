// Downloads an export, which may have any length, and says how far it is.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { announce } from "../../pages/kit/announce.js";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { counted } from "../../pages/kit/format.js";
import { fetchText, withQuery } from "../../pages/kit/requests.js";
import { failureFrom } from "../api.js";
import { createExport } from "./run.js";
import { save } from "./save.js";

/** @typedef {{ name: string, type: string, head?: string, write: (row: any, line: string) => string }} Format */

/**
 * @param {{ path: string, placeOf: (row: any) => string | number }} of `path` takes a place as `after`.
 */
export function useExport({ path, placeOf }) {
  const count = useSignal(0);
  const isRunning = useSignal(false);
  const failure = useSignal(/** @type {import("../../pages/kit/failures.js").Failure | null} */ (null));
  const abort = useRef(/** @type {AbortController | null} */ (null));
  const again = useRef(() => {});
  const cancel = () => {
    abort.current?.abort();
    [isRunning.value, failure.value] = [false, null];
  };
  useEffect(() => cancel, []);
  const start = (/** @type {Format} */ format) => {
    cancel();
    count.value = 0;
    const read = (/** @type {string | number | null} */ after) =>
      fetchText(withQuery(path, { after }), /** @type {AbortController} */ (abort.current).signal);
    const one = createExport({ read, placeOf, write: format.write, head: format.head });
    again.current = async () => {
      const mine = (abort.current = new AbortController());
      [isRunning.value, failure.value] = [true, null];
      try {
        const parts = await one.run((rows) => (count.value = rows));
        if (mine.signal.aborted) return;
        save(new Blob(parts, { type: format.type }), format.name);
        announce(`Saved ${format.name}`);
      } catch (error) {
        if (mine.signal.aborted) return;
        failure.value = failureFrom(error);
      }
      isRunning.value = false;
    };
    again.current();
  };
  return { count: count.value, isRunning: isRunning.value, failure: failure.value, start, cancel,
    goOn: () => again.current() };
}

/**
 * How far an export is, or why it stopped.
 * @param {{ of: ReturnType<typeof useExport>, one: string, many: string }} props `one` and `many`: what it counts.
 */
export function ExportBar({ of, one, many }) {
  const { count, failure } = of;
  if (failure) {
    return (
      <div class="stack export-bar">
        <FailureNote failure={failure} onRetry={of.goOn} />
        {count > 0 && <p class="note">“Try again” resumes after the first {counted(count, one, many)}.</p>}
      </div>
    );
  }
  if (!of.isRunning) return null;
  return (
    <div class="bar export-bar">
      <span class="number">Exporting: {counted(count, one, many)} so far.</span>
      <span class="row"><Button onClick={of.cancel}>Cancel</Button></span>
    </div>
  );
}
