// A case that has been read: who is looking, the evidence, the pictures, the decision.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { titleOf } from "../../pages/kit/format.js";
import { State } from "../../pages/kit/state.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { may } from "../api.js";
import { actionOf, subjectOfCase, subjectOfItem } from "../decide/actions.js";
import { DecisionBar } from "../decide/bar.jsx";
import { pending } from "../decide/desk.js";
import { useCommands } from "../keys/commands.js";
import { passOn } from "../queue/queue.js";
import { Appeal, ChannelHistory, EarlierDecisions, Findings, Reports, Texts } from "./evidence.jsx";
import { firstMoment } from "./findings.js";
import { Labels } from "./labels.jsx";
import { Matches } from "./matches.jsx";
import { Player } from "./player.jsx";
import { Similar } from "./similar.jsx";
import { Storyboard } from "./storyboard.jsx";
import { Timeline } from "./timeline.jsx";
import { useSimilar } from "./use-similar.js";

/** @typedef {import("../types").Case} CaseData */
/** @typedef {ReturnType<typeof import("./claim.js").createClaim>} Claim */

/**
 * @param {{ data: CaseData, claim: Claim, load: (how?: { isNew?: boolean }) => Promise<void>,
 *   failure: import("../../pages/kit/failures.js").Failure | null, onDone: () => void }} props
 */
export function Opened({ data, claim, failure, load, onDone }) {
  const { content } = data;
  const title = titleOf(content.caption);
  const player = useRef(/** @type {import("./player.jsx").Controls | null} */ (null));
  const time = useSignal(firstMoment(data.findings));
  const jump = (/** @type {number} */ seconds) => player.current?.jump(seconds);
  const decision = pending.about(content.content_uuid);
  const similar = useSimilar(content);
  const canDecide = may("decide") && !claim.other.value;
  const handOver = () => {
    passOn(content.content_uuid);
    claim.leave();
    onDone();
  };
  useCommands({ "hand-over": may("decide") && claim.mine.value && handOver });
  const isOwn = failure && !["offline", "signed_out"].includes(failure.kind);
  return (
    <>
      <header class="case-head">
        <h1 class={content.caption?.trim() ? undefined : "dim"} dir="auto">{title}</h1>
        <p class="row facts">
          <CaseState data={data} />
          <span class="dim">Uploaded <Time unix={content.created_at_unix} /></span>
          <a href={`/desk/channel/${content.channel_id}`}>Channel {content.channel_id}</a>
        </p>
        <Looking claim={claim} title={title} />
      </header>
      {isOwn && <FailureNote failure={failure} onRetry={load} />}
      <div class="case-parts">
        <div class="evidence">
          <Appeal appeal={data.appeal} />
          <Reports flag={data.flag} />
          <Similar similar={similar} canDecide={canDecide && !decision} />
          <Findings data={data} onJump={jump} />
          <Matches data={data} onJump={jump} />
          <Texts data={data} onJump={jump} />
          <Labels content={content} mayChange={canDecide} onChanged={load} />
          <ChannelHistory data={data} />
          <EarlierDecisions data={data} />
        </div>
        <div class="pictures">
          <Storyboard data={data} time={time} onJump={jump} />
          <Player data={data} time={time} controls={player} onExpired={() => load({ isNew: true })} />
          <Timeline data={data} time={time} onJump={jump} />
        </div>
      </div>
      {decision
        ? <Decided entry={decision} />
        : canDecide && (
          <Decide data={data} similar={similar?.checked ?? []} claim={claim} onDone={onDone} onHandOver={handOver} />
        )}
    </>
  );
}

/** Instead of the buttons, while a decision is on its way. @param {{ entry: import("../decide/pending.js").Entry }} props */
function Decided({ entry: { action, state } }) {
  return (
    <div class="decide">
      <p role="status">
        {actionOf(action).done}. {state === "held" ? "You can undo it for a few seconds." : "It is being sent."}
      </p>
    </div>
  );
}

/** @param {{ data: CaseData }} props */
function CaseState({ data: { content, scheduled_publish_at_unix, flag, appeal } }) {
  const waits = content.waits_for;
  return (
    <>
      {waits
        ? <span class="state wait"><span>Waiting for a {waits === "person" ? "person" : "check"}</span></span>
        : <State video={{ ...content, scheduled_publish_at_unix }} />}
      {flag && <span class="state bad"><span>Flagged</span></span>}
      {appeal?.state === "pending" && <span class="state wait"><span>Appealed</span></span>}
    </>
  );
}

/** Who else is looking. @param {{ claim: Claim, title: string }} props */
function Looking({ claim }) {
  const busy = useSignal(false);
  const other = claim.other.value;
  if (!other) return null;
  const takeOver = async () => {
    busy.value = true;
    if (!await claim.claim({ takeOver: true })) toast("The case could not be taken over. Try again.");
    busy.value = false;
  };
  return (
    <div class="bar" role="status">
      <span><bdi>{other.by}</bdi> is looking at this video. You can read the case but not decide.</span>
      {may("decide") && <span class="row"><Button onClick={takeOver} busy={busy.value}>Take over</Button></span>}
    </div>
  );
}

/**
 * @param {{ data: CaseData, similar: import("../queue/settle.js").Row[], claim: Claim, onDone: () => void,
 *   onHandOver: () => void }} props `similar`: the videos that the decision includes.
 */
function Decide({ data, similar, claim, onDone, onHandOver }) {
  const { content_uuid: uuid, caption } = data.content;
  const subjects = [
    { uuid, title: titleOf(caption), subject: subjectOfCase(data) },
    ...similar.map((row) => ({ uuid: row.uuid, title: titleOf(row.caption), subject: subjectOfItem(row) })),
  ];
  return (
    <DecisionBar label="Decision" subjects={subjects} caseUuid={uuid} onDecided={onDone}
      tail={<span class="row onward">
        {claim.mine.value && (
          <Button kind="quiet" aria-keyshortcuts="h" onClick={onHandOver}>Hand over <kbd aria-hidden="true">h</kbd></Button>
        )}
        <Button kind="quiet" aria-keyshortcuts="n" onClick={onDone}>Next <kbd aria-hidden="true">n</kbd></Button>
      </span>} />
  );
}
