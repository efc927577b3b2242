import { useEffect } from "preact/hooks";

/**
 * The head of a page: what it is, one line about it, its main button.
 * @param {{ title: string, children?: import("preact").ComponentChildren,
 *   action?: import("preact").ComponentChildren, isBeside?: boolean }} props
 *   `isBeside`: something beside it has the title of the page.
 */
export function PageHead({ title, children, action, isBeside }) {
  useEffect(() => {
    document.title = `${title} – Clipgate`;
  }, [title]);
  return (
    <div class="head-of-page">
      <div>{isBeside ? <p class="title">{title}</p> : <h1>{title}</h1>}{children && <p>{children}</p>}</div>
      {action}
    </div>
  );
}
