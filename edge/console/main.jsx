// The console: the page on which a signed-in user works with the API key and the uploads.
import { render } from "preact";
import { readSettings, settings, signedOut, wasSignedIn } from "./api.js";
import { Unreachable } from "../pages/kit/alone.jsx";
import { Button } from "../pages/kit/button.jsx";
import { lazy } from "../pages/kit/lazy.jsx";
import { readKey } from "./key/current.js";
import { PageHead } from "../pages/kit/page-head.jsx";
import { path, startRouter } from "../pages/kit/router.js";
import { Shell } from "./shell.jsx";
import { SignedOut } from "./sign-in.jsx";
import Today from "./today/today.jsx";
import "../pages/kit/theme.js";

const Uploads = lazy(() => import("./uploads/list.jsx"));
const Upload = lazy(() => import("./upload/upload.jsx"));
const DirectUploads = lazy(() => import("./direct-uploads/direct-uploads.jsx"));
const Webhooks = lazy(() => import("./webhooks/webhooks.jsx"));
const FailedRequests = lazy(() => import("./failed-requests/failed-requests.jsx"));
const Key = lazy(() => import("./key/key.jsx"));

const UUID = /^\/console\/(uploads|webhooks)\/([0-9a-f-]{36})$/;

function Page() {
  const at = path.value;
  const [, place, uuid = null] = UUID.exec(at) ?? [];
  // One place for the list and for a video, so that the list stays as it is beside a video.
  switch (place ? `/console/${place}` : at) {
    case "/console": return <Today />;
    case "/console/uploads": return <Uploads uuid={uuid} />;
    case "/console/upload": return <Upload />;
    case "/console/direct-uploads": return <DirectUploads />;
    case "/console/webhooks": return <Webhooks uuid={uuid} />;
    case "/console/failed-requests": return <FailedRequests />;
    case "/console/key": return <Key />;
    default: return (
      <>
        <PageHead title="Page not found">The link may be incomplete, or the page may have moved.</PageHead>
        <Button href="/console">Go to Today</Button>
      </>
    );
  }
}

function Console() {
  if (!settings.value) return <Unreachable onRetry={readSettings} comfort="Your videos and your API key are safe." />;
  // A session that ends later leaves the page as it is: see `SessionEnded` in the shell.
  if (signedOut.value && !wasSignedIn.value) return <SignedOut />;
  return <Shell><Page /></Shell>;
}

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

startRouter("/console");
// Usually the first response says who is asking before anything is drawn, so that no page flashes.
await Promise.all([readSettings(), Promise.race([readKey(), pause(150)])]);
render(<Console />, document.body);
