// What surrounds every page: the places, the account, and what concerns all pages.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { checkSession, online, settings, signedOut, signInAddress } from "./api.js";
import { announcement } from "./kit/announce.js";
import { Button } from "./kit/button.jsx";
import { Menu } from "./kit/menu.jsx";
import { Toasts } from "./kit/toast.jsx";
import { path, query } from "./router.js";
import { chooseTheme, theme, THEMES } from "./theme.js";
import { isUploading, transfer } from "./upload/transfer.js";

const PLACES = [
  { href: "/console", name: "Today" },
  { href: "/console/uploads", name: "Uploads" },
  { href: "/console/upload", name: "Upload a video" },
  { href: "/console/direct-uploads", name: "Direct uploads" },
  { href: "/console/webhooks", name: "Webhooks" },
  { href: "/console/failed-requests", name: "Failed requests" },
  { href: "/console/key", name: "API key" },
];

/** @param {{ children: import("preact").ComponentChildren }} props */
export function Shell({ children }) {
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
      <a class="button skip" href="#main" onClick={skip}>Skip to the page</a>
      <div class="shell">
        <header class={`side${open.value ? " open" : ""}`}>
          <a class="brand" href="/console"><img src="/favicon.svg" alt="" width={20} height={20} />Clipgate</a>
          <div class="burger">
            <Button kind="quiet" aria-expanded={open.value} aria-controls="places" onClick={toggle}>
              {open.value ? "Close" : "Menu"}
            </Button>
          </div>
          <nav id="places" aria-label="Places">
            <ul>{PLACES.map((place) => <li key={place.href}><Place {...place} at={at} /></li>)}</ul>
          </nav>
          <div class="foot"><Account /></div>
        </header>
        <main ref={main} id="main" tabindex={-1}>
          {!online.value && <div class="bar" role="status">You are offline. What you see may be out of date.</div>}
          {signedOut.value && <SessionEnded />}
          {children}
        </main>
      </div>
      <Toasts />
      <div class="unseen" role="status">{announcement.value}</div>
    </>
  );
}

/** @param {{ href: string, name: string, at: string }} props */
function Place({ href, name, at }) {
  const here = at === href || (href !== "/console" && at.startsWith(`${href}/`));
  const moving = href === "/console/upload" && isUploading.value ? transfer.value : null;
  return (
    <a href={href} aria-current={here ? "page" : undefined}>
      {name}{moving && <span class="number">{Math.floor((100 * moving.sent) / moving.total)}%</span>}
    </a>
  );
}

/** The session ended while the page was open: the page stays as it is. */
function SessionEnded() {
  useEffect(() => {
    // Coming back from the sign-in page in another tab is enough.
    const back = () => document.visibilityState === "visible" && checkSession();
    document.addEventListener("visibilitychange", back);
    return () => document.removeEventListener("visibilitychange", back);
  }, []);
  const address = signInAddress();
  return (
    <div class="bar" role="alert">
      <span>Your session has ended. Sign in again in a new tab; what you typed here stays.</span>
      <span class="row">
        {address && <Button kind="main" href={address} target="_blank">Sign in</Button>}
        <Button onClick={checkSession}>Continue</Button>
      </span>
    </div>
  );
}

function Account() {
  const items = THEMES.map(({ name, label }) => ({
    label, checked: theme.value === name, onSelect: () => chooseTheme(name),
  }));
  const site = settings.value?.site_url;
  return (
    <>
      {site && <a href={`${site}/docs`} target="_blank">Documentation</a>}
      {site && <a href={site}>Back to the site</a>}
      <Menu label="Theme" items={items} place="start above" />
    </>
  );
}

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
