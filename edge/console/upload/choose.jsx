// Chooses the file: with a button, or by dropping it.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { bytes } from "../../pages/kit/format.js";
import { choose } from "./draft.js";
import { continueUnfinished, isSameFile, keep, unfinished } from "./transfer.js";

/** @param {File | undefined} file */
function take(file) {
  if (!file) return;
  const earlier = unfinished.peek();
  choose(file);
  if (earlier && isSameFile(file, earlier)) continueUnfinished(file, earlier);
}

/** @param {{ rules: import("./rules.js").Rules }} props */
export function Choose({ rules }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const isOver = useSignal(false);
  const over = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    isOver.value = true;
  };
  const left = () => (isOver.value = false);
  const accept = ["video/*", ...rules.file_extensions.map((name) => `.${name}`)].join(",");
  const dropped = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    isOver.value = false;
    take(event.dataTransfer?.files[0]);
  };
  return (
    <>
      <Unfinished />
      <div class={`drop${isOver.value ? " over" : ""}`} onDragOver={over} onDragLeave={left} onDrop={dropped}>
        <p class="drop-title">Drop a video here</p>
        <Button kind="main" onClick={() => input.current?.click()}>Choose a video</Button>
        <input ref={input} type="file" hidden accept={accept}
          onChange={(event) => take(event.currentTarget.files?.[0])} aria-label="Video" />
        <p class="note">
          {rules.min_duration_ms / 1000} to {rules.max_duration_ms / 1000} seconds,
          {" "}up to {bytes(rules.max_resumable_bytes)}. {rules.file_extensions.join(", ")}.
        </p>
      </div>
    </>
  );
}

/** An upload that a reload or a crash has interrupted. */
function Unfinished() {
  const earlier = unfinished.value;
  if (!earlier) return null;
  const percent = Math.floor((100 * earlier.sent) / earlier.size);
  return (
    <div class="bar">
      <span class="words">
        The upload of <b dir="auto">{earlier.name}</b> was interrupted{percent > 0 && ` at ${percent}%`}.
        {" "}Choose the same file again to continue.
      </span>
      <span class="row"><Button onClick={() => keep(null)}>Discard it</Button></span>
    </div>
  );
}
