// The frames of the video beside the blocked pictures that they resemble.
import { useSignal } from "@preact/signals";
import { Button } from "../../pages/kit/button.jsx";
import { CopyButton } from "../../pages/kit/copy.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { counted, duration } from "../../pages/kit/format.js";
import { useLoad } from "../../pages/kit/load.js";
import { Section } from "../../pages/kit/section.jsx";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { cellAt } from "../../pages/kit/storyboard.js";
import { Time } from "../../pages/kit/time.jsx";
import { get } from "../api.js";
import { shortened } from "../blocklist/hash.js";
import { JumpButton } from "./evidence.jsx";
import { distanceInWords, groupMatches, isOneDecision, mayHaveMatches, orientationInWords } from "./matches.js";
import { cellStyle, readSheet, stageOf, stageStyle } from "./sheet.js";

/** @typedef {import("../types").Case} CaseData */
/** @typedef {import("../types").Match} MatchData */
/** @typedef {import("./sheet.js").Sheet} Sheet */
/** @typedef {import("./sheet.js").Orientation} Orientation */
/** @typedef {(seconds: number) => void} Jump */

/** More pictures would push the texts off the screen. */
const SHOWN_FIRST = 3;

/** @type {Orientation} */
const UPRIGHT = { turnedDegrees: 0, isMirrored: false };

/** @param {{ data: CaseData, onJump: Jump }} props */
export function Matches({ data, onJump }) {
  if (!mayHaveMatches(data)) return null;
  return <Section title="Matches with blocked pictures"><MatchList data={data} onJump={onJump} /></Section>;
}

/** @param {{ data: CaseData, onJump: Jump }} props */
function MatchList({ data, onJump }) {
  const isWhole = useSignal(false);
  const { content: { content_uuid } } = data;
  const read = useLoad((abort) => readMatches(data, abort), content_uuid);
  if (read.failure) return <FailureNote failure={read.failure} onRetry={read.reload} busy={read.loading} />;
  if (!read.data) return <div class="pair" aria-busy="true"><Skeleton height="7rem" /><Skeleton height="7rem" /></div>;
  const { matches, hasHashes, hasMore, sheets } = read.data;
  if (matches.length === 0) {
    return <p class="dim">{hasHashes ? "No blocked picture matches any more." : "This video's hashes are no longer stored."}</p>;
  }
  const shown = isWhole.value ? matches : matches.slice(0, SHOWN_FIRST);
  return (
    <div class="matches">
      {groupMatches(shown).map(({ uuid, matches: of }, at) => (
        <Group key={at} uuid={uuid} matches={of} sheets={sheets} onJump={onJump} />
      ))}
      {shown.length < matches.length && (
        <div><Button onClick={() => (isWhole.value = true)}>Show all {matches.length} matches</Button></div>
      )}
      {hasMore && isWhole.value && <p class="note">These are the closest matches. There are more.</p>}
    </div>
  );
}

/**
 * Reads the matches with their storyboards, so that all pictures appear at once.
 * @param {CaseData} data @param {AbortSignal} abort
 */
async function readMatches({ content: { content_uuid }, storyboard_url, storyboard_vtt_url }, abort) {
  const body = await get("/moderation/matches", { content_uuid }, abort);
  const matches = /** @type {MatchData[]} */ (body.matches);
  /** @type {Map<string | null, Promise<Sheet | null>>} */
  const reads = new Map();
  for (const { storyboard_url: url, storyboard_vtt_url: track } of matches) {
    if (url && !reads.has(url)) reads.set(url, readSheet(url, track, abort));
  }
  const own = await readSheet(storyboard_url, storyboard_vtt_url, abort);
  const others = await Promise.all([...reads].map(async ([url, sheet]) => /** @type {const} */ ([url, await sheet])));
  const sheets = { own, others: new Map(others) };
  return { matches, hasHashes: Boolean(body.has_hashes), hasMore: Boolean(body.has_more), sheets };
}

/** @typedef {{ own: Sheet | null, others: Map<string | null, Sheet | null> }} Sheets `others`: by their addresses. */

/** @param {{ uuid: string | null, matches: MatchData[], sheets: Sheets, onJump: Jump }} props */
function Group({ uuid, matches, sheets, onJump }) {
  const [first] = matches;
  const isSeveral = matches.length > 1;
  const isShared = isSeveral && isOneDecision(matches);
  return (
    <div class="matches">
      {isSeveral && (
        <div class="match">
          <h3><a href={`/desk/video/${uuid}`}>{counted(matches.length, "frame")} of one removed video</a></h3>
          {isShared && first && <BlockReason blocked={first.blocked} />}
        </div>
      )}
      {matches.map((match, at) => (
        <Match key={at} match={match} sheets={sheets} isInGroup={isSeveral} onJump={onJump}>
          {!isShared && <BlockReason blocked={match.blocked} />}
        </Match>
      ))}
    </div>
  );
}

/**
 * @param {{ match: MatchData, sheets: Sheets, isInGroup: boolean, onJump: Jump,
 *   children: import("preact").ComponentChildren }} props
 */
function Match({ match, sheets, isInGroup, onJump, children }) {
  const { at_ms, blocked, turned_degrees: turnedDegrees, is_mirrored: isMirrored, is_inverted } = match;
  const other = sheets.others.get(match.storyboard_url) ?? null;
  const cell = sheets.own && cellAt(sheets.own.cells, at_ms / 1000);
  const blockedCell = other && cellAt(other.cells, (blocked.at_ms ?? 0) / 1000);
  const stage = cell ? stageOf(cell) : stageOf(blockedCell, turnedDegrees);
  const orientation = orientationInWords(match);
  return (
    <div class="match">
      <div class="pair">
        <figure>
          <Picture sheet={sheets.own} cell={cell} stage={stage} name={`This video at ${duration(at_ms)}`} />
          <figcaption class="note">
            This video, at <JumpButton seconds={at_ms / 1000} onJump={onJump} />{at_ms === 0 && ", or its thumbnail"}
          </figcaption>
        </figure>
        <figure>
          <Picture sheet={other} cell={blockedCell} stage={stage} orientation={{ turnedDegrees, isMirrored }}
            isInverted={is_inverted} name="The blocked picture" />
          <figcaption class="note"><Origin blocked={blocked} isInGroup={isInGroup} /></figcaption>
        </figure>
      </div>
      {orientation && <p><b>{orientation}</b></p>}
      <p class="note">{distanceInWords(match.distance_bits)}</p>
      {children}
      <p class="row note">
        <code title={blocked.hash}>{shortened(blocked.hash)}</code>
        <CopyButton text={blocked.hash} name={`Copy hash ${shortened(blocked.hash)}`} />
      </p>
    </div>
  );
}

/**
 * One picture of a storyboard, blurred and gray unless that is switched off.
 * @param {{ sheet: Sheet | null, cell: import("./sheet.js").Cell | null, stage: number, orientation?: Orientation,
 *   isInverted?: boolean, name: string }} props
 */
function Picture({ sheet, cell, stage, orientation = UPRIGHT, isInverted, name }) {
  if (!sheet || !cell) return <div class="stage" style={{ aspectRatio: stage }}><p>No picture is stored</p></div>;
  return (
    <div class="stage" style={{ aspectRatio: stage }} role="img" aria-label={name}>
      <span class={isInverted ? "inverted" : undefined} style={stageStyle(cell, stage, orientation)}>
        <span class="veil" style={cellStyle(cell, sheet)} />
      </span>
    </div>
  );
}

/** Where a blocked picture came from. @param {{ blocked: import("../types").BlockedHash, isInGroup: boolean }} props */
function Origin({ blocked: { content_uuid, at_ms }, isInGroup }) {
  if (!content_uuid) return <>Added directly</>;
  const at = at_ms !== null && <>, <span class="moment">at {duration(at_ms)}</span></>;
  if (isInGroup) return <>Blocked{at}</>;
  return <><a href={`/desk/video/${content_uuid}`}>From a removed video</a>{at}</>;
}

/** Why a picture is blocked. @param {{ blocked: import("../types").BlockedHash }} props */
function BlockReason({ blocked: { reason, by, added_at_unix } }) {
  return (
    <div>
      <p class="said" dir="auto">{reason}</p>
      <p class="note">Blocked by <bdi>{by}</bdi>, <Time unix={added_at_unix} /></p>
    </div>
  );
}
