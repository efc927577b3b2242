import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { FailureNote } from "./failure.jsx";
import { failureOfNetwork } from "./failures.js";

/**
 * A view whose script is loaded when it is first shown.
 * @param {() => Promise<{ default: import("preact").ComponentType<any> }>} load
 * @returns {import("preact").FunctionComponent<any>}
 */
export function lazy(load) {
  /** @type {import("preact").ComponentType<any> | null} */
  let View = null;
  return function Lazy(props) {
    const failed = useSignal(false);
    const loaded = useSignal(View !== null);
    const attempt = () => load().then((module) => { View = module.default; loaded.value = true; }, () => (failed.value = true));
    useEffect(() => {
      if (!View) attempt();
    }, []);
    if (loaded.value && View) return <View {...props} />;
    return failed.value ? <FailureNote failure={failureOfNetwork(navigator.onLine)} onRetry={() => location.reload()} /> : null;
  };
}
