// What speaks for or against a video, in words. All texts are shown as text, whatever they contain.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { counted, duration } from "../../pages/kit/format.js";
import { Mark } from "../../pages/kit/mark.jsx";
import { Section } from "../../pages/kit/section.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { person } from "../api.js";
import { entriesAbout } from "../audit/filters.js";
import { DecisionRows } from "../decisions/rows.jsx";
import { reportsInWords, reportWord } from "../queue/reason.js";
import { atMost } from "../text.js";
import { describeFinding, groupFindings } from "./findings.js";
import { languageName, readCues } from "./subtitles.js";

/** @typedef {import("../types").Case} CaseData */
/** @typedef {(seconds: number) => void} Jump */

const LONG_TEXT = 600;
/** A case has no more decisions than these. */
const MAX_DECISIONS = 20;

/** A time that moves the video there. @param {{ seconds: number, onJump: Jump }} props */
export function JumpButton({ seconds, onJump }) {
  return (
    <button type="button" class="jump number" aria-label={`Show the video at ${duration(seconds * 1000)}`}
      onClick={() => onJump(seconds)}>{duration(seconds * 1000)}</button>
  );
}

/** @param {{ data: CaseData, onJump: Jump }} props */
export function Findings({ data, onJump }) {
  const groups = groupFindings(data.findings);
  return (
    <Section title="Findings">
      {groups.length === 0 && <p class="dim">The checks found nothing.</p>}
      <ul class="findings">
        {groups.map((group, at) => <Finding key={at} {...group} onJump={onJump} />)}
      </ul>
    </Section>
  );
}

/** @typedef {import("../types").Finding} FindingData */

/** @param {{ finding: FindingData, parts: FindingData[], onJump: Jump }} props */
function Finding({ finding, parts, onJump }) {
  const { name, advice, tone, details } = describeFinding(finding);
  return (
    <li>
      <p><b dir="auto">{name}</b></p>
      <p class="row note">
        <Mark tone={tone}>{advice}</Mark>
        {parts.map(({ from_ms = 0, until_ms = 0 }) => (
          <span key={from_ms}>
            <JumpButton seconds={from_ms / 1000} onJump={onJump} />
            {until_ms - from_ms >= 1000 && <> to {duration(until_ms)}</>}
          </span>
        ))}
      </p>
      {details.map((text) => <p key={text} class="note" dir="auto">{text}</p>)}
    </li>
  );
}

/** @type {Record<string, { word: string, tone: "wait" | "ok" | "none" }>} */
const APPEALS = {
  pending: { word: "Waiting for a moderator", tone: "wait" }, granted: { word: "Granted", tone: "ok" },
  rejected: { word: "Rejected", tone: "none" },
};

/** The owner's appeal. @param {{ appeal: import("../types").Appeal | null }} props */
export function Appeal({ appeal }) {
  if (!appeal) return null;
  const { state, text, made_at_unix, decided_by } = appeal;
  const { word, tone } = APPEALS[state] ?? { word: state, tone: "none" };
  const isOwn = decided_by === person.value?.name;
  return (
    <Section title="Appeal">
      <p class="said" dir="auto" tabindex={text.length > LONG_TEXT ? 0 : undefined}>{text}</p>
      <p class="row note appeal-facts">
        <Mark tone={tone}>{word}</Mark>
        <span>By the owner <Time unix={made_at_unix} />, against the decision of <bdi>{decided_by}</bdi></span>
      </p>
      {isOwn && state === "pending" && (
        <p>You made this decision. If possible, another moderator decides on the appeal.</p>
      )}
    </Section>
  );
}

/** @param {{ flag: import("../types").Flag | null }} props */
export function Reports({ flag }) {
  if (!flag) return null;
  return (
    <Section title="Why it was flagged">
      {flag.hash && (
        <>
          <p><Mark tone="bad">A frame matches a picture that was blocked after the video was approved.</Mark></p>
          <p class="note">Blocked hash <code class="whole">{flag.hash}</code></p>
        </>
      )}
      {flag.reports > 0 && <p>{reportsInWords(flag)}.</p>}
      <ul class="reports">
        {flag.latest_reports.map(({ reason, text, reported_at_unix }, at) => (
          <li key={at}>
            <p class="note"><b>{reportWord(reason)}</b>, <Time unix={reported_at_unix} /></p>
            {text.trim() && <p class="said" dir="auto">{text}</p>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** @param {{ data: CaseData, onJump: Jump }} props */
export function Texts({ data, onJump }) {
  const { caption, summary } = data.content;
  return (
    <Section title="Texts">
      <dl class="texts-of-video">
        <dt>Caption</dt>
        <Text of={caption} />
        <dt>Owner's summary</dt>
        <Text of={summary} />
      </dl>
      {data.subtitles.map((track) => <Subtitles key={track.language} track={track} onJump={onJump} />)}
    </Section>
  );
}

/** A text of the owner. A long one scrolls, also by the keyboard. @param {{ of: string | null }} props */
function Text({ of }) {
  const text = of?.trim() ?? "";
  if (!text) return <dd class="dim">None</dd>;
  return <dd class="said" dir="auto" tabindex={text.length > LONG_TEXT ? 0 : undefined}>{text}</dd>;
}

/** @param {{ track: import("../types").Subtitles, onJump: Jump }} props */
function Subtitles({ track, onJump }) {
  const cues = useSignal(/** @type {import("./subtitles.js").Cue[] | null} */ (null));
  const isMissing = useSignal(false);
  useEffect(() => {
    const abort = new AbortController();
    fetch(track.url, { signal: abort.signal, credentials: "same-origin" })
      .then((response) => (response.ok ? response.text() : Promise.reject()))
      .then((text) => (cues.value = readCues(text)), () => (isMissing.value = !abort.signal.aborted));
    return () => abort.abort();
  }, [track.language]);
  return (
    <details class="spoken">
      <summary>
        Subtitles: {languageName(track.language)}
        {cues.value && <span class="dim"> {counted(cues.value.length, "line")}</span>}
      </summary>
      {isMissing.value && <p class="note">The subtitles could not be read.</p>}
      <ol>
        {(cues.value ?? []).map(({ start, text }, at) => (
          <li key={at}><JumpButton seconds={start} onJump={onJump} /><span dir="auto">{text}</span></li>
        ))}
      </ol>
    </details>
  );
}

/** @param {{ data: CaseData }} props */
export function ChannelHistory({ data: { channel } }) {
  /** @type {[string, string][]} */
  const counts = [
    ["Published", atMost(channel.published)], ["Rejected", atMost(channel.rejected)],
    ["Taken down", atMost(channel.taken_down)], ["Processing", atMost(channel.processing)],
  ];
  return (
    <Section title="Channel">
      <p class="row">
        <a href={`/desk/channel/${channel.channel_id}`}>
          <bdi>{channel.name?.trim() || `Channel ${channel.channel_id}`}</bdi>
        </a>
        {channel.is_suspended && <Mark tone="bad">Suspended</Mark>}
        <span class="dim">Created <Time unix={channel.created_at_unix} /></span>
      </p>
      <dl class="counts">
        {counts.map(([name, count]) => <div key={name}><dt>{name}</dt><dd class="number">{count}</dd></div>)}
      </dl>
    </Section>
  );
}

/** @param {{ data: CaseData }} props */
export function EarlierDecisions({ data: { decisions, content } }) {
  return (
    <Section title="Earlier decisions">
      {decisions.length === 0
        ? <p class="dim">No decisions about this video yet.</p>
        : <DecisionRows decisions={decisions} isOfOneVideo />}
      {decisions.length >= MAX_DECISIONS && (
        <p><a href={`/desk/decisions?content_uuid=${content.content_uuid}`}>All decisions about this video</a></p>
      )}
      <p class="note"><a href={entriesAbout(`content:${content.content_uuid}`)}>Audit log of this video</a></p>
    </Section>
  );
}
