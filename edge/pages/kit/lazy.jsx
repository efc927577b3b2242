import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { online } from "./requests.js";
import { FailureNote } from "./failure.jsx";
import { failureOfNetwork } from "./failures.js";

/**
 * A view whose script is loaded when it is first shown.
 * @param {() => Promise<{ default: import("preact").ComponentType<any> }>} load
 * @returns {import("preact").FunctionComponent<any> & { preload: () => Promise<void> }} `preload` loads it before.
 */
export function lazy(load) {
  /** @type {import("preact").ComponentType<any> | null} */
  let View = null;
  const fetched = () => load().then((module) => {
    View = module.default;
  });
  Lazy.preload = fetched;
  return Lazy;

  /** @param {any} props */
  function Lazy(props) {
    const state = useSignal(View ? "loaded" : "loading");
    const attempt = () => fetched().then(() => (state.value = "loaded"), () => (state.value = "failed"));
    useEffect(() => {
      if (!View && online.value) attempt();
    }, [online.value]);
    if (state.value === "loaded" && View) return <View {...props} />;
    if (state.value === "loading" && online.value) return null;
    return (
      <>
        <h1>This page could not be loaded</h1>
        {/* A browser may remember that the script could not be loaded: only a new page asks for it again. */}
        <FailureNote failure={failureOfNetwork(online.value)} onRetry={() => location.reload()} />
      </>
    );
  }
}
