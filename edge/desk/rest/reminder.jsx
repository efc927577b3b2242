import { Button } from "../../pages/kit/button.jsx";
import { counted } from "../../pages/kit/format.js";
import { now } from "../../pages/kit/time.jsx";
import { hardToday, isDue } from "./today.js";

/** Reminds a person to rest. It stays until it is dismissed, and is in nobody's way. */
export function RestReminder() {
  // Looked at again as time passes: at midnight, the number begins again.
  now.value;
  const count = hardToday();
  if (!isDue.value || count === 0) return null;
  return (
    <div class="bar" role="status">
      <span>You have decided about {counted(count, "hard video")} today. Take a break when you can.</span>
      <span class="row"><Button onClick={() => (isDue.value = false)}>Dismiss</Button></span>
    </div>
  );
}
