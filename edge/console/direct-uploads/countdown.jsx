import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { exactTime } from "../../pages/kit/format.js";
import { countdown } from "./describe.js";

/** Now, in Unix seconds, every second while a countdown is shown. */
const second = signal(0);
let shown = 0;
let timer = 0;
const tick = () => (second.value = Math.floor(Date.now() / 1000));

/** The time until then, which runs down. @param {{ unix: number }} props */
export function Countdown({ unix }) {
  useEffect(() => {
    shown += 1;
    if (shown === 1) timer = setInterval(tick, 1000);
    return () => {
      shown -= 1;
      if (shown === 0) clearInterval(timer);
    };
  }, []);
  const at = Math.max(second.value, Math.floor(Date.now() / 1000));
  return (
    <time class="number" dateTime={new Date(unix * 1000).toISOString()} title={exactTime(unix)}>
      {countdown(unix - at)}
    </time>
  );
}
