import { useEffect, useMemo } from "preact/hooks";
import { may, person, post, RequestFailed, signedOut } from "../api.js";
import { pending } from "../decide/desk.js";
import { queue } from "../queue/queue.js";
import { createClaim } from "./claim.js";

/** A case is claimed after a moment, so that moving quickly through cases claims none of them. */
const CLAIM_AFTER_MS = 400;

/**
 * Claims a case while it is open.
 * @param {string} uuid @param {boolean} hasLoaded @param {() => void} onLost Reads the case again, to see who has it.
 */
export function useClaim(uuid, hasLoaded, onLost) {
  const claim = useMemo(() => createClaim({
    uuid, me: person.peek()?.name ?? "", now: () => Date.now() / 1000, post,
    isClaimed: (error) => error instanceof RequestFailed && error.failure.code === "content_claimed", onLost,
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
