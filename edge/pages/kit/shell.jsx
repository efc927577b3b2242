// What surrounds every page: the places, the account, and what concerns all pages.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { announcement } from "./announce.js";
import { Button } from "./button.jsx";
import { online, signedOut } from "./requests.js";
import { path, query } from "./router.js";
import { Toasts } from "./toast.jsx";

/** @typedef {import("preact").ComponentChildren} Children */
/** @typedef {{ href: string, name: string, note?: string | null }} Place `note`: a number beside the name. */

/**
 * @param {{ home: string, name?: string, places: Place[], account: Children, ended: Children, children: Children }} props
 *   `home`: the address of the first place. `ended`: what a page says when its session has ended.
 */
export function Frame({ home, name = "Clipgate", places, account, ended, children }) {
  const open = useSignal(false);
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const at = path.value;
  // A view may have several pages at one address, such as a list and the form that adds to it.
  const view = query.value.get("view");
  const first = useRef(true);
  useEffect(() => {
    open.value = false;
    // A new page begins at its start for the keyboard and screen readers too.
    // A part of it that kept the focus, such as a row of the list, keeps it.
    if (!first.current && !main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
    first.current = false;
  }, [at, view]);
  const skip = (/** @type {Event} */ event) => {
    event.preventDefault();
    main.current?.focus();
  };
  const toggle = () => (open.value = !open.value);
  return (
    <>
      <a class="button skip" href="#main" onClick={skip}>Skip to content</a>
      <div class="shell">
        <header class={`side${open.value ? " open" : ""}`}>
          <a class="brand" href={home}><img src="/favicon.svg" alt="" width={20} height={20} />{name}</a>
          <div class="burger">
            <Button kind="quiet" aria-expanded={open.value} aria-controls="places" onClick={toggle}>
              {open.value ? "Close" : "Menu"}
            </Button>
          </div>
          <nav id="places" aria-label="Main">
            <ul>{places.map((place) => <li key={place.href}><PlaceLink {...place} home={home} at={at} /></li>)}</ul>
          </nav>
          <div class="foot">{account}</div>
        </header>
        <main ref={main} id="main" tabindex={-1}>
          {!online.value && <div class="bar" role="status">You are offline. What you see may be out of date.</div>}
          {signedOut.value && ended}
          {children}
        </main>
      </div>
      <Toasts />
      <div class="unseen" role="status">{announcement.value}</div>
    </>
  );
}

/** @param {Place & { home: string, at: string }} props */
function PlaceLink({ href, name, note, home, at }) {
  const here = at === href || (href !== home && at.startsWith(`${href}/`));
  return (
    <a href={href} aria-current={here ? "page" : undefined}>{name}{note && <span class="number">{note}</span>}</a>
  );
}
