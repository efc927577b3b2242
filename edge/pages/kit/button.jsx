/** @typedef {import("preact").ComponentChildren} Children */

/**
 * A button, or a link that looks like one if it has an `href`.
 * @param {{
 *   kind?: "main" | "plain" | "danger" | "quiet", sure?: boolean, busy?: boolean, disabled?: boolean, href?: string,
 *   type?: "button" | "submit", icon?: boolean, onClick?: (event: MouseEvent) => void,
 *   children: Children, [attribute: `aria-${string}` | `data-${string}`]: any, title?: string,
 *   target?: string, download?: string,
 * }} props `sure` fills a danger button: the last step of a dialog. `busy` keeps the width.
 */
export function Button(props) {
  const { kind = "plain", sure, busy, disabled, href, type = "button", icon, onClick, children, ...rest } = props;
  const look = `button ${kind}${sure ? " sure" : ""}${icon ? " icon" : ""}`;
  if (href) return <a class={look} href={href} onClick={onClick} {...rest}>{children}</a>;
  const clicked = busy ? (/** @type {MouseEvent} */ event) => event.preventDefault() : onClick;
  return (
    <button class={look} type={type} disabled={disabled} aria-busy={busy || undefined} onClick={clicked} {...rest}>
      <span>{children}</span>
      {busy && <i class="spinner" aria-hidden="true" />}
    </button>
  );
}
