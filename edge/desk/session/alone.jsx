// Pages instead of the desk: the service does not respond, or the token may not look at videos.
import { useSignal } from "@preact/signals";
import { Alone } from "../../pages/kit/alone.jsx";
import { Button } from "../../pages/kit/button.jsx";
import { person, signOut } from "../api.js";

/** @param {{ onRetry: () => Promise<void> }} props */
export function Unreachable({ onRetry }) {
  const busy = useSignal(false);
  const retry = async () => {
    busy.value = true;
    await onRetry();
    busy.value = false;
  };
  return (
    <Alone title="The service is not reachable">
      <p role="alert">
        {navigator.onLine ? "It may be down for a moment."
          : "You are offline. Connect to a network, then try again."}
      </p>
      <Button kind="main" busy={busy.value} onClick={retry}>Try again</Button>
    </Alone>
  );
}

export function NotAllowed() {
  const roles = person.value?.roles ?? [];
  return (
    <Alone title="Your token cannot open the desk">
      <p>
        You are signed in as <bdi>{person.value?.name}</bdi>. The desk needs the role <code>look</code>; this token
        has {roles.length ? roles.map((role, at) => <>{at > 0 && ", "}<code key={role}>{role}</code></>) : "no role"}.
        Ask the operator for another token.
      </p>
      <Button kind="main" onClick={() => signOut().then(() => location.replace("/desk"), () => {})}>Sign out</Button>
    </Alone>
  );
}
