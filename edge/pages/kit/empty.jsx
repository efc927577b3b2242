/** @typedef {import("preact").ComponentChildren} Children */

/**
 * What a place is for, while there is nothing in it.
 * @param {{ title: string, children: Children, action?: Children }} props
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
