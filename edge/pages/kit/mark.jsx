/**
 * A state: a dot and a word.
 * @param {{ tone: "work" | "wait" | "ok" | "bad" | "none", children: import("preact").ComponentChildren }} props
 */
export function Mark({ tone, children }) {
  return <span class={`state ${tone}`}><span>{children}</span></span>;
}
