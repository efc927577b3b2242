// The places and the account of the desk, and what concerns all of its pages.
import { useSignal } from "@preact/signals";
import { Button } from "../pages/kit/button.jsx";
import { counted } from "../pages/kit/format.js";
import { lazy } from "../pages/kit/lazy.jsx";
import { Menu } from "../pages/kit/menu.jsx";
import { usePolling } from "../pages/kit/polling.js";
import { navigate } from "../pages/kit/router.js";
import { toast } from "../pages/kit/toast.jsx";
import { Frame } from "../pages/kit/shell.jsx";
import { themeItems } from "../pages/kit/theme.js";
import { counts, failureFrom, may, person, readPerson, signedOut, signOut } from "./api.js";
import { pending, undo } from "./decide/desk.js";
import { useCommands } from "./keys/commands.js";
import { countOf } from "./queue/filters.js";
import { RestReminder } from "./rest/reminder.jsx";
import { distressingToday } from "./rest/today.js";
import { SignInForm } from "./session/sign-in.jsx";
import { atMost } from "./text.js";
import { isVeiled, toggleVeil } from "./veil.js";

const Palette = lazy(() => import("./keys/palette.jsx"));
const Help = lazy(() => import("./keys/help.jsx"));

const COUNT_SECONDS = 10;

/** @param {{ children: import("preact").ComponentChildren }} props */
export function Shell({ children }) {
  const dialog = useSignal(/** @type {"palette" | "help" | null} */ (null));
  usePolling(readCounts, COUNT_SECONDS);
  useCommands({
    undo: may("decide") && (() => undo()),
    blur: toggleVeil,
    find: () => navigate("/desk/find"),
    palette: () => (dialog.value = "palette"),
    help: () => (dialog.value = "help"),
  }, [
    { label: "Go to the queue", run: () => navigate("/desk") },
    { label: "Go to the decisions", run: () => navigate("/desk/decisions") },
    { label: "Go to the blocklist", run: () => navigate("/desk/blocklist") },
    { label: "Go to the audit log", run: () => navigate("/desk/audit") },
    { label: "Go to the statistics", run: () => navigate("/desk/statistics") },
    ...(may("operate") ? [{ label: "Go to the tokens", run: () => navigate("/desk/tokens") }] : []),
    ...themeItems().map(({ label, onSelect }) => ({ label: `Theme: ${label.toLowerCase()}`, run: onSelect })),
    { label: "Sign out", run: leave },
  ]);
  const waiting = countOf("", counts.value);
  const places = [
    { href: "/desk", name: "Queue", note: waiting === null ? null : atMost(waiting) },
    { href: "/desk/find", name: "Find" },
    { href: "/desk/decisions", name: "Decisions" },
    { href: "/desk/blocklist", name: "Blocklist" },
    { href: "/desk/audit", name: "Audit log" },
    { href: "/desk/statistics", name: "Statistics" },
    ...(may("operate") ? [{ href: "/desk/tokens", name: "Tokens" }] : []),
  ];
  const close = () => (dialog.value = null);
  return (
    <Frame home="/desk" name="Clipgate desk" places={places} ended={<SessionEnded />}
      account={<Account onKeys={() => (dialog.value = "help")} />}>
      <NotSent />
      <RestReminder />
      {children}
      {dialog.value === "palette" && <Palette onClose={close} />}
      {dialog.value === "help" && <Help onClose={close} />}
    </Frame>
  );
}

async function readCounts() {
  await readPerson().catch(failureFrom);
  return COUNT_SECONDS;
}

/** Sends what was decided, and ends the session. */
async function leave() {
  await pending.flush();
  try {
    await signOut();
    // A new page: nothing that this person has seen is left on it.
    location.replace("/desk");
  } catch (error) {
    toast(`You are still signed in. ${failureFrom(error).what}`);
  }
}

/** The decisions of one person are not sent under the name of another. */
function startAnew() {
  pending.drop();
  location.replace("/desk");
}

/** The session ended while the page was open: the page stays as it is. */
function SessionEnded() {
  return (
    <div class="bar session-ended" role="alert">
      <span>Your session has expired. Sign in again to continue. Unsent decisions are kept until then.</span>
      <SignInForm onOtherPerson={startAnew} />
    </div>
  );
}

/** Decisions that could not be sent, and are sent again. */
function NotSent() {
  const stuck = pending.entries.value.filter(({ state }) => state === "retrying");
  const count = stuck.reduce((sum, { targets }) => sum + targets.length, 0);
  if (count === 0 || signedOut.value) return null;
  const problem = stuck[0]?.problem;
  return (
    <div class="bar" role="status">
      <span>{counted(count, "decision")} could not be sent yet. {problem?.what} The desk retries automatically.</span>
      <span class="row"><Button onClick={pending.resume}>Send now</Button></span>
    </div>
  );
}

/** @param {{ onKeys: () => void }} props */
function Account({ onKeys }) {
  const name = person.value?.name ?? "Account";
  const distressing = distressingToday();
  return (
    <>
      <Menu label="Pictures" place="start above" items={[
        { label: "Blurred and gray", checked: isVeiled.value, onSelect: () => isVeiled.value || toggleVeil() },
        { label: "Clear", checked: !isVeiled.value, onSelect: () => isVeiled.value && toggleVeil() },
      ]} />
      <Menu label="Theme" items={themeItems()} place="start above" />
      <Menu label={`Account of ${name}`} place="start above"
        note={distressing > 0 ? `${counted(distressing, "distressing video")} today` : undefined}
        items={[{ label: "Keyboard shortcuts", onSelect: onKeys }, { label: "Sign out", onSelect: leave }]}>
        <bdi class="cut">{name}</bdi>
      </Menu>
    </>
  );
}
