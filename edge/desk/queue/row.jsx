import { Mark } from "../../pages/kit/mark.jsx";
import { duration, titleOf } from "../../pages/kit/format.js";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { now, Time } from "../../pages/kit/time.jsx";
import { person } from "../api.js";
import { actionOf } from "../decide/actions.js";
import { pending } from "../decide/desk.js";
import { toggleSelected } from "./queue.js";
import { strongestReason } from "./reason.js";

/**
 * @param {{ row: import("./settle.js").Row, href: string, isOpen: boolean, canSelect: boolean,
 *   isSelected: boolean }} props
 */
export function Row({ row, href, isOpen, canSelect, isSelected }) {
  const title = titleOf(row.caption);
  const decision = pending.about(row.uuid);
  const look = ["queue-row", canSelect && "can-select", (row.isGone || decision) && "is-over"].filter(Boolean).join(" ");
  const reason = strongestReason(row);
  return (
    <li class={look} data-uuid={row.uuid}>
      {canSelect && (
        <label class="pick">
          <input type="checkbox" checked={isSelected} aria-label={`Select ${title}`}
            onChange={() => toggleSelected(row.uuid)} />
        </label>
      )}
      <a href={href} aria-current={isOpen ? "true" : undefined}>
        <Shot poster={row.poster} durationMs={row.durationMs} />
        <span class="texts">
          <span class={`cut${row.caption?.trim() ? "" : " dim"}`} dir="auto">{title}</span>
          <span class="why note"><Reason of={reason} /></span>
        </span>
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

/** @param {{ of: ReturnType<typeof strongestReason> }} props */
function Reason({ of: { text, tone, quote } }) {
  if (quote === undefined) return <Mark tone={tone}>{text}</Mark>;
  return <Mark tone={tone}>{text}: “<bdi class="cut quote">{quote}</bdi>”</Mark>;
}

/** @param {{ entry: import("../decide/pending.js").Entry }} props */
function OnItsWay({ entry: { action, state } }) {
  return <Mark tone="work">{state === "retrying" ? "Not sent yet" : actionOf(action).short}</Mark>;
}

/** Where viewers can find it now. @type {Record<string, string>} */
const PLACES = {
  processing: "Not public", published: "Public", scheduled: "Scheduled", deleted: "Deleted by its owner",
  rejected: "Rejected", taken_down: "Taken down",
};

/**
 * Who is looking, or else who made the decision that the owner appeals against.
 * @param {{ row: import("./settle.js").Row }} props
 */
function Who({ row: { claim, appeal } }) {
  const me = person.value?.name;
  if (!claim || claim.until_unix <= now.value || claim.by === me) {
    if (!appeal) return null;
    return <span class="dim">{appeal.decidedBy === me ? "You" : <bdi>{appeal.decidedBy}</bdi>} decided</span>;
  }
  return <Mark tone="work"><bdi>{claim.by}</bdi> is looking</Mark>;
}

/**
 * A video's picture, blurred and grey unless that is switched off.
 * @param {{ poster: string | null, durationMs: number }} props
 */
function Shot({ poster, durationMs }) {
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
