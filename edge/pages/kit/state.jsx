import { moment } from "./format.js";
import { Mark } from "./mark.jsx";
import { describeState } from "./states.js";

/** A video's state: a dot and a word. @param {{ video: import("./states.js").Video }} props */
export function State({ video }) {
  const { word, tone, percent, at } = describeState(video);
  return (
    <Mark tone={tone}>
      {word}{percent !== null && <span class="number"> {percent}%</span>}{at !== null && ` for ${moment(at)}`}
    </Mark>
  );
}
