import { useId } from "preact/hooks";

/** @typedef {import("preact").ComponentChildren} Children */

/** A part of a video's page. @param {{ title: string, note?: Children, children: Children }} props */
export function Section({ title, note, children }) {
  const id = useId();
  return (
    <section class="part" aria-labelledby={id}>
      <div><h2 id={id}>{title}</h2>{note && <p class="note">{note}</p>}</div>
      {children}
    </section>
  );
}
