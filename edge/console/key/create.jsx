import { useSignal } from "@preact/signals";
import { failureFrom } from "../api.js";
import { Button } from "../kit/button.jsx";
import { FailureNote } from "../kit/failure.jsx";
import { makeKey, readKey } from "./current.js";

/** The button that creates the key. @param {{ onMade: (full: string) => void }} props */
export function CreateKey({ onMade }) {
  const busy = useSignal(false);
  const failure = useSignal(/** @type {import("../kit/failures.js").Failure | null} */ (null));
  const create = async () => {
    busy.value = true;
    failure.value = null;
    try {
      onMade(await makeKey("create"));
    } catch (error) {
      failure.value = failureFrom(error);
      // The key may exist although its response was lost, or another page has created one.
      if (["unreachable", "request"].includes(failure.value.kind)) await readKey();
    }
    busy.value = false;
  };
  return (
    <div class="stack">
      <Button kind="main" busy={busy.value} onClick={create}>Create key</Button>
      {failure.value && <FailureNote failure={failure.value} />}
    </div>
  );
}
