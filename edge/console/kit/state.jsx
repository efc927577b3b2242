import { moment } from "./format.js";
import { describeState } from "./states.js";

/** A video's state: a dot and a word. @param {{ video: import("./states.js").Video }} props */
export function State({ video }) {
  const { word, tone, percent, at } = describeState(video);
  return (
    <span class={`state ${tone}`}>
      <span>
        {word}{percent !== null && <span class="number"> {percent}%</span>}{at !== null && ` for ${moment(at)}`}
      </span>
    </span>
  );
}
