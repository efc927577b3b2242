import { useSignal } from "@preact/signals";
import { failureFrom } from "./requests.js";

/**
 * A change that a button starts: whether it is under way, and what failed.
 * @param {() => Promise<void>} run
 */
export function useAction(run) {
  const busy = useSignal(false);
  const failure = useSignal(/** @type {import("./failures.js").Failure | null} */ (null));
  const start = async () => {
    if (busy.peek()) return;
    busy.value = true;
    failure.value = null;
    try {
      await run();
    } catch (error) {
      failure.value = failureFrom(error);
    }
    busy.value = false;
  };
  return { busy: busy.value, failure: failure.value, start };
}
