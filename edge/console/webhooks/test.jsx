// A test event, and what the webhook answered.
import { useSignal } from "@preact/signals";
import { announce } from "../../pages/kit/announce.js";
import { useAction } from "../../pages/kit/action.js";
import { Button } from "../../pages/kit/button.jsx";
import { CodeBlock } from "../../pages/kit/code.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { counted } from "../../pages/kit/format.js";
import { Mark } from "../../pages/kit/mark.jsx";
import { Prose } from "../../pages/kit/prose.jsx";
import { adviceFor, describeResponse } from "./describe.js";
import { testWebhook } from "./store.js";

/** @typedef {Awaited<ReturnType<typeof testWebhook>>} Tested */

/** @param {string} uuid */
export function useTest(uuid) {
  const result = useSignal(/** @type {Tested | null} */ (null));
  const action = useAction(async () => {
    result.value = await testWebhook(uuid);
    announce(result.value.is_delivered ? "Your endpoint accepted the test event" : "The test event was not accepted");
  });
  return { ...action, result: result.value, clear: () => (result.value = null) };
}

/**
 * A webhook can be tested every few seconds. The service says so in the words of programs.
 * @param {import("../../pages/kit/failures.js").Failure} failure
 */
function tooSoon(failure) {
  const next = `Try again in ${counted(failure.retryAfter ?? 5, "second")}.`;
  return { ...failure, what: "You sent a test event only a moment ago.", next };
}

/** @param {{ of: ReturnType<typeof useTest> }} props */
export function TestResult({ of: { failure, result, clear } }) {
  if (failure) return <FailureNote failure={failure.kind === "limited" ? tooSoon(failure) : failure} />;
  if (!result) return null;
  const { response, is_delivered: isDelivered } = result;
  const advice = adviceFor(response);
  return (
    <section class="panel test-result" aria-label="Test result">
      <div class="result-head">
        <h2><Mark tone={isDelivered ? "ok" : "bad"}>
          {isDelivered ? "Your endpoint accepted the test event" : "The test event was not accepted"}
        </Mark></h2>
        <Button kind="quiet" onClick={clear}>Close</Button>
      </div>
      <p class="number">{describeResponse(response)}</p>
      {advice && <p><Prose text={advice} /></p>}
      {response.body_start
        ? <CodeBlock label="Start of the response" text={response.body_start} />
        : response.status != null && <p class="note">The response had no body.</p>}
    </section>
  );
}
