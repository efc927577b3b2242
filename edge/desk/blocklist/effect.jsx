/** What blocking a hash does. */
export function BlockEffect() {
  return (
    <p>
      The hash applies to every video that is checked from now on. Approved videos with a similar frame are flagged,
      but stay as they are until a moderator decides.
    </p>
  );
}
