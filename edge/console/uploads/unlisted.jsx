import { Mark } from "../../pages/kit/mark.jsx";

/** The mark of an unlisted video. @param {{ video: Pick<import("./video-rules.js").Video, "visibility"> }} props */
export function Unlisted({ video }) {
  return video.visibility === "unlisted" ? <Mark tone="none">Unlisted</Mark> : null;
}
