import { Button } from "./button.jsx";

/**
 * What failed, why, and what to do.
 * @param {{ failure: import("./failures.js").Failure, onRetry?: () => void, busy?: boolean }} props
 */
export function FailureNote({ failure, onRetry, busy }) {
  return (
    <div class="failure" role="alert">
      <p>{failure.what}{failure.next && ` ${failure.next}`}</p>
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
