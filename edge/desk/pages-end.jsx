import { Button } from "../pages/kit/button.jsx";
import { FailureNote } from "../pages/kit/failure.jsx";
import { counted } from "../pages/kit/format.js";
import { Skeleton } from "../pages/kit/skeleton.jsx";

/**
 * What is below the rows of a list with pages.
 * @param {{ pages: Omit<ReturnType<typeof import("./pages.js").usePages>, "change">, one: string, many?: string,
 *   empty: import("preact").ComponentChildren }} props
 *   `one` and `many`: what the list counts.
 */
export function PagesEnd({ pages, one, many, empty }) {
  if (pages.failure) return <FailureNote failure={pages.failure} onRetry={pages.load} busy={pages.isLoading} />;
  if (!pages.hasLoaded) {
    const places = [0, 1, 2, 3].map((at) => <Skeleton key={at} height="2.25rem" />);
    return <div class="rows-to-come" aria-busy="true">{places}</div>;
  }
  if (pages.rows.length === 0 && !pages.hasMore) return <>{empty}</>;
  return (
    <div class="end-of-rows">
      {pages.hasMore
        ? <Button onClick={pages.load} busy={pages.isLoading}>Show more</Button>
        : <p class="note">{counted(pages.rows.length, one, many)}</p>}
    </div>
  );
}
