// Pages that stand alone: nobody is signed in, or the service does not respond.
import { useSignal } from "@preact/signals";
import { Alone } from "../pages/kit/alone.jsx";
import { Button } from "../pages/kit/button.jsx";
import { settings, signInAddress } from "./api.js";

export function SignedOut() {
  const address = signInAddress();
  return (
    <Alone title="Sign in to your console">
      <p>Here you manage your API key and your uploads. You use the same account as on the site.</p>
      {address
        ? <Button kind="main" href={address}>Sign in</Button>
        : <p>Sign in on <a href={settings.value?.site_url}>the site</a>, then reload this page.</p>}
    </Alone>
  );
}

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
        {navigator.onLine
          ? "It may be down for a moment. Your videos and your key are safe."
          : "You are offline. Connect to a network, then try again."}
      </p>
      <Button kind="main" busy={busy.value} onClick={retry}>Try again</Button>
    </Alone>
  );
}
