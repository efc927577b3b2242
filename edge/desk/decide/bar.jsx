// The buttons of a decision: about one case, or about the selected rows.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { announce } from "../../pages/kit/announce.js";
import { Button } from "../../pages/kit/button.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { asCommand, useCommands } from "../keys/commands.js";
import { ACTIONS, actionOf, isPossible, meantBy, whyNot } from "./actions.js";
import { ConfirmMany } from "./confirm.jsx";
import { decide } from "./desk.js";
import { policies, policyName, readPolicies } from "./policies.js";
import { PolicyChoice } from "./policy-choice.jsx";

/** @typedef {import("../types").Action} Action */
/** @typedef {import("./actions.js").Subject} Subject */
/** @typedef {{ uuid: string, title: string, subject: Subject }} Candidate */

/** A decision about more videos than this has to be confirmed by typing their number. */
const MANY = 20;
const MAX_NOTE = 500;

const now = () => Date.now() / 1000;

/**
 * @param {{ subjects: Candidate[], label: string, caseUuid?: string, lead?: import("preact").ComponentChildren,
 *   tail?: import("preact").ComponentChildren, onDecided: () => void }} props
 *   `caseUuid`: the open case, if any. Its buttons show how many videos they apply to; a selection already shows its
 *   count.
 */
export function DecisionBar({ subjects, label, caseUuid, lead, tail, onDecided }) {
  const asks = useSignal(/** @type {Action | null} */ (null));
  const policy = useSignal(/** @type {string | null} */ (null));
  const note = useSignal(/** @type {string | null} */ (null));
  const confirms = useSignal(/** @type {{ action: Action, of: Candidate[] } | null} */ (null));
  useEffect(() => {
    // Without them, no video can be rejected. A failed request is made again when they are needed.
    if (policies.peek().length === 0) readPolicies().catch(() => {});
  }, []);
  const possible = (/** @type {Action} */ action) =>
    meantBy(action, subjects, caseUuid).filter(({ subject }) => isPossible(action, subject, now()));
  const verbOf = (/** @type {Action} */ action) => {
    const count = caseUuid ? possible(action).length : 1;
    return count > 1 ? `${actionOf(action).verb} ${count}` : actionOf(action).verb;
  };

  const send = (/** @type {Action} */ action, /** @type {Candidate[]} */ of) => {
    const policyCode = actionOf(action).needsPolicy ? policy.peek() : null;
    const reason = note.peek()?.trim() || policyName(policyCode) || actionOf(action).note;
    decide({ action, policyCode, reason, targets: of.map(({ uuid, title }) => ({ uuid, title })), caseUuid });
    const rest = meantBy(action, subjects, caseUuid).length - of.length;
    if (rest > 0) toast(`The decision is not possible for ${rest} of the selected videos.`);
    onDecided();
  };
  const start = (/** @type {Action} */ action) => {
    const of = possible(action);
    if (of.length === 0) return toast(whyNot(action, /** @type {Candidate} */ (subjects[0]).subject));
    if (actionOf(action).needsPolicy && policy.peek() === null) {
      asks.value = action;
      return announce(`${verbOf(action)}: choose a policy`);
    }
    asks.value = null;
    if (of.length > MANY) confirms.value = { action, of };
    else send(action, of);
  };
  const choose = (/** @type {string} */ code) => {
    policy.value = code;
    if (asks.peek()) start(/** @type {Action} */ (asks.peek()));
    else announce(`Policy: ${policyName(code)}`);
  };
  useCommands({
    // The keys of the others say why they do nothing.
    ...Object.fromEntries(ACTIONS.map(({ name }) => [name, asCommand(() => start(name), possible(name).length > 0)])),
    policy: (number) => {
      const chosen = policies.peek()[number - 1];
      if (chosen) choose(chosen.policy_code);
    },
    ...(asks.value && { close: () => (asks.value = null) }),
  }, [
    ...policies.value.map(({ policy_code, name }, at) => ({
      label: `Policy: ${name}`, run: () => choose(policy_code), hint: at < 9 ? String(at + 1) : undefined,
    })),
    { label: "Add a note for colleagues", run: () => (note.value ??= "") },
  ]);
  return (
    <section class="decide" aria-label={label}>
      {asks.value && (
        <PolicyChoice verb={verbOf(asks.value)} onChoose={choose} onCancel={() => (asks.value = null)} />
      )}
      {note.value !== null && <Note value={note.value} onInput={(text) => (note.value = text)} />}
      <div class="row">
        {lead}
        <DecisionButtons actions={ACTIONS.filter(({ name }) => possible(name).length > 0)} verbOf={verbOf}
          asks={asks.value} policy={policy} note={note} onStart={start} />
        {tail}
      </div>
      {confirms.value && (
        <ConfirmMany count={confirms.value.of.length} verb={actionOf(confirms.value.action).verb}
          onClose={() => (confirms.value = null)} onConfirm={() => {
            const { action, of } = /** @type {NonNullable<typeof confirms.value>} */ (confirms.value);
            confirms.value = null;
            send(action, of);
          }} />
      )}
    </section>
  );
}

/**
 * @template T
 * @typedef {import("@preact/signals").Signal<T>} Signal
 */

/**
 * The possible decisions, the chosen policy, and the way to a note.
 * @param {{ actions: import("./actions.js").Words[], verbOf: (action: Action) => string, asks: Action | null,
 *   policy: Signal<string | null>, note: Signal<string | null>, onStart: (action: Action) => void }} props
 *   `asks`: the decision for which a policy is being chosen.
 */
function DecisionButtons({ actions, verbOf, asks, policy, note, onStart }) {
  return (
    <>
      {actions.map(({ name, key, needsPolicy }) => (
        <Button key={name} kind={name === "reject" || name === "take_down" ? "danger" : "plain"} aria-keyshortcuts={key}
          aria-expanded={needsPolicy && policy.value === null ? asks === name : undefined}
          onClick={() => onStart(name)}>{verbOf(name)} <kbd aria-hidden="true">{key}</kbd></Button>
      ))}
      {policy.value && (
        <span class="chosen">
          <span class="cut"><span class="unseen">Policy: </span>{policyName(policy.value)}</span>
          <Button kind="quiet" icon aria-label="Clear policy" onClick={() => (policy.value = null)}>×</Button>
        </span>
      )}
      {note.value === null && <Button kind="quiet" onClick={() => (note.value = "")}>Add a note</Button>}
    </>
  );
}

/** @param {{ value: string, onInput: (text: string) => void }} props */
function Note({ value, onInput }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => input.current?.focus(), []);
  const leave = () => document.getElementById("main")?.focus({ preventScroll: true });
  return (
    <input class="input" ref={input} dir="auto" aria-label="Note for colleagues" maxLength={MAX_NOTE}
      placeholder="Note for colleagues; the owner does not see it" value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
      // The keys of the desk act again once the field is left.
      onKeyDown={(event) => ["Enter", "Escape"].includes(event.key) && leave()} />
  );
}
