// The page instead of the desk for a token that may not look at videos.
import { Alone } from "../../pages/kit/alone.jsx";
import { Button } from "../../pages/kit/button.jsx";
import { person, signOut } from "../api.js";

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
