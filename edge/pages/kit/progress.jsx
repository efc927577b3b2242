/**
 * A bar. @param {{ value: number, most: number, label: string, text?: string, tone?: "ok" | "warn" | "bad" }} props
 *   `text`: the value in words, for screen readers.
 */
export function Progress({ value, most, label, text, tone }) {
  const part = most > 0 ? Math.min(1, Math.max(0, value / most)) : 0;
  return (
    <div class={`progress ${tone ?? ""}`} role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={most}
      aria-valuenow={Math.min(value, most)} aria-valuetext={text}>
      <div style={{ width: `${part * 100}%` }} />
    </div>
  );
}
