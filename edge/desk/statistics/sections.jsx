import { number } from "../../pages/kit/format.js";
import { Mark } from "../../pages/kit/mark.jsx";
import { Section } from "../../pages/kit/section.jsx";
import { policyName } from "../decide/policies.js";
import { describeDecision } from "../decisions/words.js";
import { byAction, timeTaken, totalOf } from "./figures.js";

/** @typedef {import("../types").DecisionCount} DecisionCount */
/** @typedef {import("../types").Statistics} Statistics */

/** @param {{ decisions: DecisionCount[] }} props */
export function Decisions({ decisions }) {
  return (
    <Section title="Decisions by people" note={decisions.length > 0 &&
      `The median time runs from when a video began to wait (in the queue, since it was flagged, or since the appeal)
      until the decision. A dash means that no video was waiting.`}>
      {decisions.length === 0 ? <p class="dim">No decisions by people.</p> : (
        <table class="counted">
          <thead>
            <tr><th scope="col">Decision and policy</th><th scope="col">Number</th><th scope="col">Median time</th></tr>
          </thead>
          {byAction(decisions).map((group) => <Group key={group.action} group={group} />)}
          <tfoot>
            <tr><th scope="row">All decisions</th><td>{number(totalOf(decisions))}</td><td /></tr>
          </tfoot>
        </table>
      )}
    </Section>
  );
}

/** The total of an action, then its policies. @param {{ group: import("./figures.js").Group }} props */
function Group({ group: { action, total, rows } }) {
  const { word, tone } = describeDecision(action);
  const [only] = rows;
  // The medians of several policies have no total.
  const isPlain = rows.length === 1 && only?.policy_code === null;
  return (
    <tbody>
      <tr class="total">
        <th scope="rowgroup"><Mark tone={tone}>{word}</Mark></th>
        <td>{number(total)}</td>
        <td>{isPlain && <TimeTaken seconds={only.median_seconds} />}</td>
      </tr>
      {!isPlain && rows.map((row) => (
        <tr key={row.policy_code}>
          <th scope="row">{policyName(row.policy_code) ?? "No policy"}</th>
          <td>{number(row.number)}</td>
          <td><TimeTaken seconds={row.median_seconds} /></td>
        </tr>
      ))}
    </tbody>
  );
}

/** @param {{ seconds: number | null }} props */
function TimeTaken({ seconds }) {
  if (seconds !== null) return <>{timeTaken(seconds)}</>;
  return <><span aria-hidden="true">–</span><span class="unseen">None was waiting</span></>;
}

/** @param {{ number: number }} props */
export function AutomaticRejections({ number: rejected }) {
  return (
    <Section title="Automatic rejections"
      note="Videos that were rejected without a moderator. Uploads of blocked files are not counted.">
      <p class="figure">{number(rejected)}</p>
    </Section>
  );
}

/** @param {{ appeals: Statistics["appeals"] }} props */
export function Appeals({ appeals }) {
  const figures = [
    { name: "Made", of: appeals.made }, { name: "Granted", of: appeals.granted },
    { name: "Rejected", of: appeals.rejected },
  ];
  return (
    <Section title="Appeals" note="Granted and rejected this month, regardless of when the appeal was made.">
      <dl class="row">
        {figures.map(({ name, of }) => (
          <div key={name}><dt class="note">{name}</dt><dd class="figure">{number(of)}</dd></div>
        ))}
      </dl>
    </Section>
  );
}
