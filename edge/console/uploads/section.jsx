import { useId } from "preact/hooks";

/**
 * A part of a video's page.
 * @param {{ title: string, note?: import("preact").ComponentChildren, children: import("preact").ComponentChildren }} props
 */
export function Section({ title, note, children }) {
  const id = useId();
  return (
    <section class="part" aria-labelledby={id}>
      <div><h2 id={id}>{title}</h2>{note && <p class="note">{note}</p>}</div>
      {children}
    </section>
  );
}
