/** Holds the place of something that loads. @param {{ width?: string, height?: string }} props */
export function Skeleton({ width = "100%", height = "1em" }) {
  return <span class="skeleton" style={{ width, height }} aria-hidden="true" />;
}
