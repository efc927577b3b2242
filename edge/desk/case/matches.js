// Describes the matches between a video's frames and blocked pictures.

/** @typedef {import("../types").Match} Match */
/** @typedef {import("../types").Case} Case */

const MAX_DISTANCE_BITS = 72;

/**
 * Whether the service is asked for matches: it compares all frames with the whole blocklist, so only if a check or a
 * flag says that there are some.
 * @param {Case} data
 */
export function mayHaveMatches({ findings, flag }) {
  const isBlocked = findings.some(({ check, recommendation }) =>
    check === "blocklist" && ["review", "reject"].includes(recommendation));
  return isBlocked || Boolean(flag?.hash);
}

/** @param {number} bits Of the 256 bits of a hash. */
export function distanceInWords(bits) {
  if (bits === 0) return "All 256 bits are the same";
  return `${bits} of 256 bits ${bits === 1 ? "differs" : "differ"}; up to ${MAX_DISTANCE_BITS} is a match`;
}

/**
 * How this video's frame differs from the blocked picture; null if nothing was changed.
 * @param {Pick<Match, "turned_degrees" | "is_mirrored" | "is_inverted">} match
 */
export function orientationInWords({ turned_degrees, is_mirrored, is_inverted }) {
  const words = [...placement(turned_degrees, is_mirrored), ...(is_inverted ? ["colors inverted"] : [])].join(", ");
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : null;
}

/** @param {number} degrees Clockwise. @param {boolean} isMirrored */
function placement(degrees, isMirrored) {
  if (degrees === 180 && isMirrored) return ["mirrored top to bottom"];
  /** @type {Record<number, string>} */
  const turns = {
    90: "turned by 90° clockwise", 180: "turned upside down", 270: "turned by 90° counterclockwise",
  };
  const turn = turns[degrees];
  return [...(isMirrored ? ["mirrored"] : []), ...(turn ? [turn] : [])];
}

/**
 * Puts the matches with frames of the same removed video together. The order is that of the closest match of each.
 * @param {Match[]} matches The closest first.
 * @returns {{ uuid: string | null, matches: Match[] }[]} Entries that were added directly stay by themselves.
 */
export function groupMatches(matches) {
  /** @type {{ uuid: string | null, matches: Match[] }[]} */
  const groups = [];
  for (const match of matches) {
    const uuid = match.blocked.content_uuid;
    const group = uuid === null ? undefined : groups.find((known) => known.uuid === uuid);
    if (group) group.matches.push(match);
    else groups.push({ uuid, matches: [match] });
  }
  return groups;
}

/**
 * Whether all these entries were blocked at once, as the frames of a video are when it is removed.
 * @param {Match[]} matches
 */
export function isOneDecision(matches) {
  const decisions = matches.map(({ blocked: { reason, by, added_at_unix } }) => JSON.stringify([reason, by, added_at_unix]));
  return new Set(decisions).size === 1;
}
