// The page instead of the console while nobody is signed in.
import { Alone } from "../pages/kit/alone.jsx";
import { Button } from "../pages/kit/button.jsx";
import { settings, signInAddress } from "./api.js";

export function SignedOut() {
  const address = signInAddress();
  return (
    <Alone title="Sign in to your console">
      <p>Manage your API key and your uploads. Use the same account as on the site.</p>
      {address
        ? <Button kind="main" href={address}>Sign in</Button>
        : <p>Sign in on <a href={settings.value?.site_url}>the site</a>, then reload this page.</p>}
    </Alone>
  );
}
