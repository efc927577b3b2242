// A case: everything that speaks for or against one video, then the video, then the decision.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { titleOf } from "../../pages/kit/format.js";
import { usePolling } from "../../pages/kit/polling.js";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { State } from "../../pages/kit/state.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { failureFrom, get, may, online, person, post, RequestFailed, signedOut } from "../api.js";
import { DecisionBar } from "../decide/bar.jsx";
import { pending } from "../decide/desk.js";
import { actionOf, subjectOfCase } from "../decide/actions.js";
import { useCommands } from "../keys/commands.js";
import { passOn, queue } from "../queue/queue.js";
import { keepAddresses } from "./addresses.js";
import { createClaim } from "./claim.js";
import { ChannelHistory, EarlierDecisions, Findings, Reports, Texts } from "./evidence.jsx";
import { firstMoment } from "./findings.js";
import { Player } from "./player.jsx";
import { Storyboard } from "./storyboard.jsx";
import { Timeline } from "./timeline.jsx";

/** @typedef {import("../types").Case} CaseData */

/** Who moves through cases quickly does not claim each of them. */
const CLAIM_AFTER_MS = 400;
/** A case that somebody else has is read again, to see when it is free. */
const WATCH_SECONDS = 15;
const now = () => Date.now() / 1000;

/**
 * @param {{ uuid: string, back: string, isBeside: boolean, takesFocus: boolean, onDone: () => void }} props
 *   `back`: the address of the queue. `onDone` opens the next case.
 */
export default function Case({ uuid, back, isBeside, takesFocus, onDone }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const read = useSignal(/** @type {{ of: CaseData, readAt: number } | null} */ (null));
  const failure = useSignal(/** @type {import("../../pages/kit/failures.js").Failure | null} */ (null));
  const claim = useClaim(uuid, read.value !== null);
  const load = async ({ isNew = false } = {}) => {
    try {
      const body = await get("/moderation/case", { content_uuid: uuid });
      read.value = keepAddresses(isNew ? null : read.peek(), body, now());
      claim.note(body.claim);
      failure.value = null;
    } catch (error) {
      failure.value = failureFrom(error);
    }
  };
  const isBack = online.value && !signedOut.value;
  useEffect(() => {
    if (isBack) load();
  }, [uuid, isBack]);
  const isOthers = claim.other.value !== null;
  usePolling(async () => {
    if (isOthers) await load();
    return isOthers ? WATCH_SECONDS : null;
  }, WATCH_SECONDS, isOthers);
  useEffect(() => {
    const timer = setTimeout(() => takesFocus && place.current?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, []);
  const title = read.value && titleOf(read.value.of.content.caption);
  useEffect(() => {
    if (title) document.title = `${title} – Clipgate`;
  }, [title]);
  return (
    <article class="case" ref={place} tabindex={-1} aria-label={title ?? "Case"}>
      <nav class="way-back" aria-label="Back">
        <Button kind="quiet" href={back}>{isBeside ? "Close" : "← Queue"}</Button>
      </nav>
      {read.value
        ? <Opened data={read.value.of} claim={claim} failure={failure.value} load={load} onDone={onDone} />
        : <Waiting failure={failure.value} onRetry={load} back={back} />}
    </article>
  );
}

/** Claims the case while it is open. @param {string} uuid @param {boolean} hasLoaded */
function useClaim(uuid, hasLoaded) {
  const claim = useMemo(() => createClaim({
    uuid, me: person.peek()?.name ?? "", now, post,
    isClaimed: (error) => error instanceof RequestFailed && error.failure.code === "content_claimed",
  }), [uuid]);
  const row = queue.rows.value.find((row) => row.uuid === uuid);
  useEffect(() => {
    if (row) claim.note(row.claim);
  }, [row?.claim?.by]);
  const decision = pending.about(uuid) !== null;
  const canClaim = hasLoaded && may("decide") && claim.other.value === null && !decision && !signedOut.value;
  useEffect(() => {
    if (!canClaim) return;
    const timer = setTimeout(() => claim.claim(), CLAIM_AFTER_MS);
    return () => clearTimeout(timer);
  }, [canClaim]);
  useEffect(() => {
    const leave = (isLeaving = false) => claim.leave({ isKept: pending.about(uuid) !== null, isLeaving });
    const hidden = () => leave(true);
    addEventListener("pagehide", hidden);
    return () => {
      removeEventListener("pagehide", hidden);
      leave();
    };
  }, []);
  return claim;
}

/** @param {{ failure: import("../../pages/kit/failures.js").Failure | null, onRetry: () => void, back: string }} props */
function Waiting({ failure, onRetry, back }) {
  if (failure && (failure.status === 404 || failure.field === "content_uuid")) {
    return (
      <>
        <h1>No such video</h1>
        <p class="dim">The link may be incomplete.</p>
        <div><Button href={back}>Go to the queue</Button></div>
      </>
    );
  }
  return (
    <>
      <div class="case-head" aria-busy={!failure}>
        <h1 class="unseen">Case</h1>
        {!failure && <><Skeleton width="60%" height="2rem" /><Skeleton width="30%" height="1.25rem" /><Skeleton height="6rem" /></>}
      </div>
      {failure && <FailureNote failure={failure} onRetry={onRetry} />}
    </>
  );
}

/**
 * @param {{ data: CaseData, claim: ReturnType<typeof createClaim>, load: (how?: { isNew?: boolean }) => Promise<void>,
 *   failure: import("../../pages/kit/failures.js").Failure | null, onDone: () => void }} props
 */
function Opened({ data, claim, failure, load, onDone }) {
  const { content } = data;
  const title = titleOf(content.caption);
  const player = useRef(/** @type {import("./player.jsx").Controls | null} */ (null));
  const time = useSignal(firstMoment(data.findings));
  const jump = (/** @type {number} */ seconds) => player.current?.jump(seconds);
  const decision = pending.about(content.content_uuid);
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
          <Reports flag={data.flag} />
          <Findings data={data} onJump={jump} />
          <Texts data={data} onJump={jump} />
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
        ? <div class="decide"><p role="status">{actionOf(decision.action).done}. {decision.state === "held" ? "You can undo it for a few seconds." : "It is being sent."}</p></div>
        : <Decide data={data} title={title} claim={claim} onDone={onDone} onHandOver={handOver} />}
    </>
  );
}

/** @param {{ data: CaseData }} props */
function CaseState({ data: { content, scheduled_publish_at_unix, flag } }) {
  const waits = content.waits_for;
  return (
    <>
      {waits
        ? <span class="state wait"><span>{waits === "person" ? "Waits for a person" : "Waits for a check"}</span></span>
        : <State video={{ ...content, scheduled_publish_at_unix }} />}
      {flag && <span class="state bad"><span>Flagged</span></span>}
    </>
  );
}

/** Who else is looking. @param {{ claim: ReturnType<typeof createClaim>, title: string }} props */
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
      <span><bdi>{other.by}</bdi> is looking at this video. You can read it, but not decide.</span>
      {may("decide") && <span class="row"><Button onClick={takeOver} busy={busy.value}>Take over</Button></span>}
    </div>
  );
}

/**
 * @param {{ data: CaseData, title: string, claim: ReturnType<typeof createClaim>, onDone: () => void,
 *   onHandOver: () => void }} props
 */
function Decide({ data, title, claim, onDone, onHandOver }) {
  const subjects = [{ uuid: data.content.content_uuid, title, subject: subjectOfCase(data) }];
  if (!may("decide") || claim.other.value) return null;
  return (
    <DecisionBar label="Decision" subjects={subjects} onDecided={onDone}
      tail={<span class="row onward">
        {claim.mine.value && <Button kind="quiet" aria-keyshortcuts="h" onClick={onHandOver}>Hand over <kbd aria-hidden="true">h</kbd></Button>}
        <Button kind="quiet" aria-keyshortcuts="n" onClick={onDone}>Next <kbd aria-hidden="true">n</kbd></Button>
      </span>} />
  );
}
