import { Mark } from "../../pages/kit/mark.jsx";
import { duration, titleOf } from "../../pages/kit/format.js";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { now, Time } from "../../pages/kit/time.jsx";
import { person } from "../api.js";
import { actionOf } from "../decide/actions.js";
import { pending } from "../decide/desk.js";
import { claimOfOther, othersInWords } from "./fold.js";
import { selected, toggleSelected } from "./queue.js";
import { strongestReason } from "./reason.js";

/**
 * @param {{ row: import("./fold.js").ShownRow, href: string, isOpen: boolean, canSelect: boolean }} props
 */
export function Row({ row, href, isOpen, canSelect }) {
  const title = titleOf(row.caption);
  const decision = pending.about(row.uuid);
  const look = ["queue-row", canSelect && "can-select", (row.isGone || decision) && "is-over"].filter(Boolean).join(" ");
  const others = othersInWords(row);
  return (
    <li class={look} data-uuid={row.uuid}>
      {canSelect && (
        <Pick row={row} label={`Select ${title}${others ? ` ${others}` : ""}`} />
      )}
      <a href={href} aria-current={isOpen ? "true" : undefined}>
        <Shot poster={row.poster} durationMs={row.durationMs} />
        <span class="texts">
          <span class={`cut${row.caption?.trim() ? "" : " dim"}`} dir="auto">{title}</span>
          <span class="why note"><Reason of={strongestReason(row)} /></span>
        </span>
        {others && <span class="others note">{others}</span>}
        <span class="who note">
          {decision ? <OnItsWay entry={decision} />
            : row.isGone ? <Mark tone="none">Decided</Mark> : <Who row={row} />}
        </span>
        <span class="state-of note dim">{PLACES[row.state] ?? row.state}</span>
        <span class="when note"><Time unix={row.sinceUnix} /></span>
      </a>
    </li>
  );
}

/** @param {{ row: import("./fold.js").ShownRow, label: string }} props */
function Pick({ row, label }) {
  return (
    <label class="pick">
      <input type="checkbox" checked={selected.value.has(row.uuid)} aria-label={label}
        onChange={() => toggleSelected(row)} />
    </label>
  );
}

/** @param {{ of: ReturnType<typeof strongestReason> }} props */
function Reason({ of: { text, tone, quote } }) {
  if (quote === undefined) return <Mark tone={tone}>{text}</Mark>;
  return <Mark tone={tone}>{text}: “<bdi class="cut quote">{quote}</bdi>”</Mark>;
}

/** @param {{ entry: import("../decide/pending.js").Entry }} props */
export function OnItsWay({ entry: { action, state } }) {
  return <Mark tone="work">{state === "retrying" ? "Not sent yet" : actionOf(action).short}</Mark>;
}

/** Where viewers can find it now. @type {Record<string, string>} */
const PLACES = {
  processing: "Not public", published: "Public", scheduled: "Scheduled", deleted: "Deleted by its owner",
  rejected: "Rejected", taken_down: "Taken down",
};

/**
 * Who is looking, or else who made the decision that the owner appeals against.
 * @param {{ row: import("./fold.js").ShownRow }} props
 */
function Who({ row: { members, appeal } }) {
  const me = person.value?.name;
  const claim = claimOfOther(members, me, now.value);
  if (claim) return <Mark tone="work"><bdi>{claim.by}</bdi> is looking</Mark>;
  if (!appeal) return null;
  return <span class="dim">{appeal.decidedBy === me ? "You" : <bdi>{appeal.decidedBy}</bdi>} decided</span>;
}

/**
 * A video's picture, blurred and grey unless that is switched off.
 * @param {{ poster: string | null, durationMs: number }} props
 */
export function Shot({ poster, durationMs }) {
  return (
    <span class="shot">
      {poster && <img key={poster} class="veil" src={poster} alt="" width={80} height={45} loading="lazy" decoding="async"
        onError={(event) => (event.currentTarget.hidden = true)} />}
      {durationMs > 0 && <span class="length number">{duration(durationMs)}</span>}
    </span>
  );
}

export function RowSkeleton() {
  return (
    <div class="queue-row skeleton-row" aria-hidden="true">
      <span class="shot" /><span class="texts"><Skeleton width="45%" /><Skeleton width="30%" height=".8em" /></span>
    </div>
  );
}
