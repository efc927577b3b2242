// The desk: the page on which moderators decide about videos.
import { signal } from "@preact/signals";
import { render } from "preact";
import { Unreachable } from "../pages/kit/alone.jsx";
import { Button } from "../pages/kit/button.jsx";
import { lazy } from "../pages/kit/lazy.jsx";
import { PageHead } from "../pages/kit/page-head.jsx";
import { path, startRouter } from "../pages/kit/router.js";
import "../pages/kit/theme.js";
import { failureFrom, may, person, readPerson, signedOut } from "./api.js";
import { startKeys } from "./keys/commands.js";
import { Queue } from "./queue/page.jsx";
import { NotAllowed } from "./session/alone.jsx";
import { SignInPage } from "./session/sign-in.jsx";
import { Shell } from "./shell.jsx";

const Find = lazy(() => import("./find/find.jsx"));
const Channel = lazy(() => import("./find/channel.jsx"));
const Evidence = lazy(() => import("./find/evidence.jsx"));
const Decisions = lazy(() => import("./decisions/decisions.jsx"));
const Blocklist = lazy(() => import("./blocklist/blocklist.jsx"));
const AuditLog = lazy(() => import("./audit/audit.jsx"));
const Statistics = lazy(() => import("./statistics/statistics.jsx"));
const Tokens = lazy(() => import("./tokens/tokens.jsx"));

const VIDEO = /^\/desk\/video\/([0-9a-f-]{36})$/;
const CHANNEL = /^\/desk\/channel\/(\d{1,16})$/;

/** Whether the desk could not be reached when it was opened. */
const isUnreachable = signal(false);

function Page() {
  const at = path.value;
  // One place for the queue and for a case, so that the list stays as it is beside a case.
  const [, uuid = null] = VIDEO.exec(at) ?? [];
  if (uuid || at === "/desk") return <Queue uuid={uuid} />;
  if (at === "/desk/find") return <Find />;
  if (at === "/desk/evidence") return <Evidence />;
  if (at === "/desk/decisions") return <Decisions />;
  if (at === "/desk/blocklist") return <Blocklist />;
  if (at === "/desk/audit") return <AuditLog />;
  if (at === "/desk/statistics") return <Statistics />;
  if (at === "/desk/tokens") return <Tokens />;
  const [, channel] = CHANNEL.exec(at) ?? [];
  if (channel) return <Channel id={Number(channel)} key={channel} />;
  return (
    <>
      <PageHead title="Page not found">The link may be incomplete, or the page may have moved.</PageHead>
      <Button href="/desk">Go to the queue</Button>
    </>
  );
}

function Desk() {
  if (isUnreachable.value) return <Unreachable onRetry={start} />;
  // A session that ends later leaves the page as it is: see `SessionEnded` in the shell.
  if (!person.value) return <SignInPage />;
  if (!may("look")) return <NotAllowed />;
  return <Shell><Page /></Shell>;
}

async function start() {
  try {
    await readPerson();
    isUnreachable.value = false;
  } catch (error) {
    isUnreachable.value = failureFrom(error).kind !== "signed_out";
    // Nobody was signed in before, so no session has ended.
    signedOut.value = false;
  }
}

startRouter("/desk");
startKeys();
await start();
render(<Desk />, document.body);
