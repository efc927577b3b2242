import { Button } from "./button.jsx";
import { Prose } from "./prose.jsx";

/**
 * What failed, why, and what to do.
 * @param {{ failure: import("./failures.js").Failure, onRetry?: () => void, busy?: boolean }} props
 */
export function FailureNote({ failure, onRetry, busy }) {
  return (
    <div class="failure" role="alert">
      <p><Prose text={failure.next ? `${failure.what} ${failure.next}` : failure.what} /></p>
      {(failure.docs || failure.requestId) && (
        <p class="note more">
          {failure.docs && <a href={failure.docs} target="_blank"><code>{failure.code}</code></a>}
          {failure.kind === "server" && failure.requestId && <span>Request <code>{failure.requestId}</code></span>}
        </p>
      )}
      {onRetry && <Button onClick={onRetry} busy={busy}>Try again</Button>}
    </div>
  );
}
