// The address of the page as signals, and the links that change it without loading the page again.
import { computed, signal } from "@preact/signals";

const address = signal(here());

/** The path below the site's host, such as `/console/uploads`. */
export const path = computed(() => address.value.pathname.replace(/(.)\/$/, "$1"));
/** The parameters of the address, such as the filters of a list. */
export const query = computed(() => new URLSearchParams(address.value.search));

function here() {
  return new URL(globalThis.location?.href ?? "http://localhost/");
}

/**
 * Goes to an address below the root of the router.
 * @param {string} to
 * @param {{ replace?: boolean }} [how] `replace` leaves no entry in the history, as for a filter.
 */
export function navigate(to, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", to);
  const before = address.peek().pathname;
  address.value = here();
  if (address.peek().pathname !== before) scrollTo(0, 0);
}

/**
 * Makes links below a root, and the browser's back and forward, change the address without a new page.
 * @param {string} root Such as `/console`.
 */
export function startRouter(root) {
  addEventListener("popstate", () => (address.value = here()));
  document.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest?.("a[href]");
    if (!(link instanceof HTMLAnchorElement) || !isPlainClick(event)) return;
    if (link.target || link.hasAttribute("download")) return;
    if (link.origin !== location.origin || !`${link.pathname}/`.startsWith(`${root}/`)) return;
    event.preventDefault();
    navigate(link.href);
  });
}

/** @param {MouseEvent} event */
function isPlainClick(event) {
  const isModified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  return event.button === 0 && !event.defaultPrevented && !isModified;
}
