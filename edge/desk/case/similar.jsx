// The near-duplicates of a case's video that wait too. One decision can be made about all of them.
import { titleOf } from "../../pages/kit/format.js";
import { Mark } from "../../pages/kit/mark.jsx";
import { query } from "../../pages/kit/router.js";
import { Section } from "../../pages/kit/section.jsx";
import { now, Time } from "../../pages/kit/time.jsx";
import { person } from "../api.js";
import { pending } from "../decide/desk.js";
import { filterOf } from "../queue/filters.js";
import { claimOfOther } from "../queue/fold.js";
import { OnItsWay, Shot } from "../queue/row.jsx";

/** @typedef {import("../queue/settle.js").Row} Row */
/** @typedef {NonNullable<ReturnType<typeof import("./use-similar.js").useSimilar>>} SimilarVideos */

/** @param {{ similar: SimilarVideos | null, canDecide: boolean }} props */
export function Similar({ similar, canDecide }) {
  if (!similar) return null;
  const { others, isSameFile, free, checked, check } = similar;
  const hasChecked = checked.length > 0;
  return (
    <Section title={isSameFile ? "Copies in the queue" : "Similar videos in the queue"}>
      {canDecide && free.length > 0 && (
        <p>
          Rejecting this video also rejects the checked ones. Approve each by itself.{" "}
          {free.length > 1 && (
            <button type="button" class="jump" onClick={() => check(free, !hasChecked)}>
              {hasChecked ? "Uncheck all" : "Check all"}
            </button>
          )}
        </p>
      )}
      <ul class="similar">
        {others.map((row) => (
          <Member key={row.uuid} row={row} isChecked={checked.includes(row)}
            onCheck={canDecide ? (isChecked) => check([row], isChecked) : null} isFree={free.includes(row)} />
        ))}
      </ul>
    </Section>
  );
}

/**
 * @param {{ row: Row, isChecked: boolean, isFree: boolean, onCheck: ((isChecked: boolean) => void) | null }} props
 *   `onCheck`: null if this person does not decide about the case.
 */
function Member({ row, isChecked, isFree, onCheck }) {
  const title = titleOf(row.caption);
  const { value: show } = filterOf(query.value.get("show"));
  return (
    <li class={row.isGone ? "is-over" : undefined}>
      {onCheck && (
        <label class="pick">
          <input type="checkbox" checked={isChecked} disabled={!isFree} aria-label={`Include ${title}`}
            onChange={(event) => onCheck(event.currentTarget.checked)} />
        </label>
      )}
      <Shot poster={row.poster} durationMs={row.durationMs} />
      <span class="texts">
        <a class="cut" dir="auto" href={`/desk/video/${row.uuid}${show && `?show=${show}`}`}>{title}</a>
        <span class="row note">
          <a href={`/desk/channel/${row.channelId}`}>Channel {row.channelId}</a>
          {row.uploadedUnix !== null && (
            <span class="dim"><span class="unseen">Uploaded </span><Time unix={row.uploadedUnix} /></span>
          )}
          <MemberState row={row} />
        </span>
      </span>
    </li>
  );
}

/** Why the decision does not include a video. @param {{ row: Row }} props */
function MemberState({ row }) {
  const decision = pending.about(row.uuid);
  if (decision) return <OnItsWay entry={decision} />;
  if (row.isGone) return <Mark tone="none">Decided</Mark>;
  const claim = claimOfOther([row], person.value?.name, now.value);
  return claim && <Mark tone="work"><bdi>{claim.by}</bdi> is looking</Mark>;
}
