import { Mark } from "../../pages/kit/mark.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { policyName } from "../decide/policies.js";
import { describeDecision } from "./words.js";

/** @param {{ decisions: import("../types").Decision[], isOfOneVideo?: boolean }} props */
export function DecisionRows({ decisions, isOfOneVideo }) {
  return (
    <ul class={`decisions${isOfOneVideo ? "" : " in-columns"}`}>
      {decisions.map((decision, at) => {
        const { word, tone } = describeDecision(decision.action);
        const policy = policyName(decision.policy_code);
        return (
          <li key={at}>
            <p class="row what"><Mark tone={tone}>{word}</Mark>{policy && <span>{policy}</span>}</p>
            {decision.reason !== policy && <p class="said reason" dir="auto">{decision.reason}</p>}
            <p class="note by"><bdi>{decision.by}</bdi>, <Time unix={decision.decided_at_unix} /></p>
            {!isOfOneVideo && decision.content_uuid && (
              <p class="note whole about"><a href={`/desk/video/${decision.content_uuid}`}>{decision.content_uuid}</a></p>
            )}
            {!isOfOneVideo && decision.hash && <p class="note whole about">Hash <code>{decision.hash}</code></p>}
          </li>
        );
      })}
    </ul>
  );
}
