import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { useAction } from "../../pages/kit/action.js";
import { makeKey } from "./current.js";

/** The button that creates the key. @param {{ onMade: (full: string) => void }} props */
export function CreateKey({ onMade }) {
  const { busy, failure, start } = useAction(async () => onMade(await makeKey("create")));
  return (
    <div class="stack">
      <Button kind="main" busy={busy} onClick={start}>Create key</Button>
      {failure && <FailureNote failure={failure} />}
    </div>
  );
}
