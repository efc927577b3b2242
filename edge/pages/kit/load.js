// Loads what a view shows.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { failureFrom, online, signedOut } from "./requests.js";

/**
 * Runs `read` at once and when `key` changes. The data stays while it is read again, so that nothing jumps.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} read
 * @param {string} [key]
 * @returns {{ data: T | null, failure: import("./failures.js").Failure | null, loading: boolean,
 *   reload: () => Promise<void> }}
 */
export function useLoad(read, key = "") {
  const data = useSignal(/** @type {T | null} */ (null));
  const failure = useSignal(/** @type {import("./failures.js").Failure | null} */ (null));
  const loading = useSignal(true);
  const running = useRef(/** @type {AbortController | null} */ (null));

  const reload = async () => {
    running.current?.abort();
    const own = (running.current = new AbortController());
    loading.value = true;
    try {
      const read_data = await read(own.signal);
      if (own.signal.aborted) return;
      data.value = read_data;
      failure.value = null;
    } catch (error) {
      if (own.signal.aborted) return;
      failure.value = failureFrom(error);
    }
    loading.value = false;
  };
  useEffect(() => {
    data.value = null;
    reload();
    return () => running.current?.abort();
  }, [key]);
  const isBack = online.value && !signedOut.value;
  useEffect(() => {
    if (isBack && ["signed_out", "offline"].includes(failure.peek()?.kind ?? "")) reload();
  }, [isBack]);

  return { data: data.value, failure: failure.value, loading: loading.value, reload };
}
