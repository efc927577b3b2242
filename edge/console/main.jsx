// The console: the page on which a signed-in user works with the API key and the uploads.
import { lazy } from "./kit/lazy.jsx";
import { render } from "preact";
import { fetchJson, settings, signedOut, signInAddress } from "./api.js";
import { Button } from "./kit/button.jsx";
import { Empty } from "./kit/empty.jsx";
import { path, startRouter } from "./router.js";
import { PageHead, Shell } from "./shell.jsx";
import Today from "./today/today.jsx";
import "./theme.js";

const Uploads = lazy(() => import("./uploads/list.jsx"));
const Upload = lazy(() => import("./upload/upload.jsx"));
const Key = lazy(() => import("./key/key.jsx"));

const UUID = /^\/console\/uploads\/([0-9a-f-]{36})$/;

function Page() {
  const at = path.value;
  const video = UUID.exec(at)?.[1];
  // One place for the list and for a video, so that the list stays as it is beside a video.
  if (video || at === "/console/uploads") return <Uploads uuid={video ?? null} />;
  switch (at) {
    case "/console": return <Today />;
    case "/console/upload": return <Upload />;
    case "/console/key": return <Key />;
    default: return (
      <>
        <PageHead title="Nothing here" />
        <Empty title="There is no page at this address" action={<Button href="/console">Go to Today</Button>}>
          It may have been moved, or the link is incomplete.
        </Empty>
      </>
    );
  }
}

function Console() {
  return <Shell><Page /></Shell>;
}

startRouter();
settings.value = await fetchJson("/console/settings.json").catch(() => null);
render(<Console />, document.body);
