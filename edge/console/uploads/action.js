import { useSignal } from "@preact/signals";
import { toast } from "../../pages/kit/toast.jsx";

/** @typedef {import("./video-store.js").VideoStore} VideoStore */

/**
 * An action of a part of the page: whether it is under way, what failed, and how to start it.
 * @param {VideoStore} store
 */
export function useAction(store) {
  const isBusy = useSignal(false);
  const failure = useSignal(/** @type {import("../../pages/kit/failures.js").Failure | null} */ (null));
  /**
   * @param {() => Promise<any>} send
   * @param {string} done What is said once it is done.
   * @param {() => void} [undo] Takes it back.
   */
  const run = async (send, done, undo) => {
    if (isBusy.peek()) return false;
    isBusy.value = true;
    failure.value = await store.act(send);
    isBusy.value = false;
    if (!failure.value) toast(done, { undo });
    // The new state may not have this part of the page any more.
    else if (failure.value.status === 409) toast(failure.value.what);
    return failure.value === null;
  };
  return { isBusy: isBusy.value, failure: failure.value, run, clear: () => (failure.value = null) };
}
