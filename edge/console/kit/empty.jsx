/**
 * What a place is for, while there is nothing in it.
 * @param {{ title: string, children: import("preact").ComponentChildren, action?: import("preact").ComponentChildren }} props
 */
export function Empty({ title, children, action }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}
