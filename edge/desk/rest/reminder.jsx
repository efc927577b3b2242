import { Button } from "../../pages/kit/button.jsx";
import { counted } from "../../pages/kit/format.js";
import { now } from "../../pages/kit/time.jsx";
import { distressingToday, isDue } from "./today.js";

/** Suggests a break. It stays until dismissed and blocks nothing. */
export function RestReminder() {
  // Looked at again as time passes: at midnight, the number begins again.
  now.value;
  const count = distressingToday();
  if (!isDue.value || count === 0) return null;
  return (
    <div class="bar" role="status">
      <span>You have reviewed {counted(count, "distressing video")} today. Take a break when you can.</span>
      <span class="row"><Button onClick={() => (isDue.value = false)}>Dismiss</Button></span>
    </div>
  );
}
