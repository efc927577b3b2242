/**
 * A button that lets the user choose a file.
 * @param {{ accept: string, busy?: boolean, onChoose: (file: File) => void, children: import("preact").ComponentChildren }} props
 */
export function FileButton({ accept, busy, onChoose, children }) {
  const chosen = (/** @type {import("preact").TargetedEvent<HTMLInputElement>} */ { currentTarget }) => {
    const file = currentTarget.files?.[0];
    // The same file can be chosen again.
    currentTarget.value = "";
    if (file) onChoose(file);
  };
  return (
    <label class="button" aria-busy={busy || undefined}>
      <span>{children}</span>
      <input class="unseen" type="file" accept={accept} disabled={busy} onChange={chosen} />
      {busy && <i class="spinner" aria-hidden="true" />}
    </label>
  );
}
