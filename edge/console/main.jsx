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
const Video = lazy(() => import("./uploads/video.jsx"));
const Upload = lazy(() => import("./upload/upload.jsx"));
const Key = lazy(() => import("./key/key.jsx"));

const UUID = /^\/console\/uploads\/([0-9a-f-]{36})$/;

function Page() {
  const at = path.value;
  const video = UUID.exec(at)?.[1];
  if (video) return <Video uuid={video} key={video} />;
  switch (at) {
    case "/console": return <Today />;
    case "/console/uploads": return <Uploads />;
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
