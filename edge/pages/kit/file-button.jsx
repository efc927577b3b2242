/**
 * A button that lets the user choose a file.
 * @param {{ accept?: string, kind?: "plain" | "quiet", busy?: boolean, onChoose: (file: File) => void,
 *   children: import("preact").ComponentChildren }} props
 */
export function FileButton({ accept, kind = "plain", busy, onChoose, children }) {
  const chosen = (/** @type {import("preact").TargetedEvent<HTMLInputElement>} */ { currentTarget }) => {
    const file = currentTarget.files?.[0];
    // The same file can be chosen again.
    currentTarget.value = "";
    if (file) onChoose(file);
  };
  return (
    <label class={`button ${kind}`} aria-busy={busy || undefined}>
      <span>{children}</span>
      <input class="unseen" type="file" accept={accept} disabled={busy} onChange={chosen} />
      {busy && <i class="spinner" aria-hidden="true" />}
    </label>
  );
}
