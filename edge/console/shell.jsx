// The places and the account of the console.
import { useEffect } from "preact/hooks";
import { Button } from "../pages/kit/button.jsx";
import { Menu } from "../pages/kit/menu.jsx";
import { Frame } from "../pages/kit/shell.jsx";
import { themeItems } from "../pages/kit/theme.js";
import { checkSession, settings, signInAddress } from "./api.js";
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
  const moving = isUploading.value ? transfer.value : null;
  const note = moving && `${Math.floor((100 * moving.sent) / moving.total)}%`;
  const places = PLACES.map((place) => (place.href === "/console/upload" ? { ...place, note } : place));
  return <Frame home="/console" places={places} account={<Account />} ended={<SessionEnded />}>{children}</Frame>;
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
      <span>Your session has expired. Sign in again in a new tab; what you typed here is kept.</span>
      <span class="row">
        {address && <Button kind="main" href={address} target="_blank">Sign in</Button>}
        <Button onClick={checkSession}>Continue</Button>
      </span>
    </div>
  );
}

function Account() {
  const site = settings.value?.site_url;
  return (
    <>
      {site && <a href={`${site}/docs`} target="_blank">Documentation</a>}
      {site && <a href={site}>Back to the site</a>}
      <Menu label="Theme" items={themeItems()} place="start above" />
    </>
  );
}
