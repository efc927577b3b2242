import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { failureFrom } from "../api.js";
import { policies, readPolicies } from "./policies.js";

/**
 * The policies, of which one makes the decision.
 * @param {{ verb: string, onChoose: (code: string) => void, onCancel: () => void }} props
 */
export function PolicyChoice({ verb, onChoose, onCancel }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const failure = useSignal(/** @type {import("../../pages/kit/failures.js").Failure | null} */ (null));
  const read = () => readPolicies().then(() => (failure.value = null), (error) => (failure.value = failureFrom(error)));
  useEffect(() => {
    if (policies.peek().length === 0) read();
    const opener = /** @type {HTMLElement | null} */ (document.activeElement);
    place.current?.focus({ preventScroll: true });
    const bar = place.current?.parentElement;
    // In a low window, the policies are at the end of the case: see decide.css.
    if (bar && getComputedStyle(bar).position === "static") place.current?.scrollIntoView();
    return () => opener?.isConnected && opener.focus({ preventScroll: true });
  }, []);
  return (
    <div class="policies" role="group" aria-label={`${verb}: choose a policy`} ref={place} tabindex={-1}>
      <p class="section-head"><b>{verb} under which policy?</b><Button kind="quiet" onClick={onCancel}>Cancel</Button></p>
      {failure.value && <FailureNote failure={failure.value} onRetry={read} />}
      <ol>
        {policies.value.map(({ policy_code, name, text }, at) => (
          <li key={policy_code}>
            <button type="button" onClick={() => onChoose(policy_code)}>
              {at < 9 ? <kbd aria-hidden="true">{at + 1}</kbd> : <span />}
              <span><b>{name}</b><span class="note" dir="auto">{text}</span></span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
