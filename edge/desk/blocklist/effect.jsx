/** What blocking a hash does. */
export function Effect() {
  return (
    <p>
      It applies to every video that is checked from now on. Approved videos with a similar frame are flagged, but
      stay as they are until a moderator decides.
    </p>
  );
}
