import { signal } from "@preact/signals";
import { exactTime, relativeTime } from "./format.js";

/** Now, in Unix seconds, every 20 seconds. */
export const now = signal(Math.floor(Date.now() / 1000));
setInterval(() => (now.value = Math.floor(Date.now() / 1000)), 20_000);

/** A time as people say it, with the exact one in its title. @param {{ unix: number }} props */
export function Time({ unix }) {
  // Between two ticks, something new would lie in the future.
  const at = Math.max(now.value, Math.floor(Date.now() / 1000));
  return <time dateTime={new Date(unix * 1000).toISOString()} title={exactTime(unix)}>{relativeTime(unix, at)}</time>;
}
