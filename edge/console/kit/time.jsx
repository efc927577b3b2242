import { signal } from "@preact/signals";
import { exactTime, relativeTime } from "./format.js";

/** Now, in Unix seconds, every 20 seconds. */
export const now = signal(Math.floor(Date.now() / 1000));
setInterval(() => (now.value = Math.floor(Date.now() / 1000)), 20_000);

/** A time as people say it, with the exact one in its title. @param {{ unix: number }} props */
export function Time({ unix }) {
  return <time dateTime={new Date(unix * 1000).toISOString()} title={exactTime(unix)}>{relativeTime(unix, now.value)}</time>;
}
