import { useSignal } from "@preact/signals";
import { bytes, duration } from "../../pages/kit/format.js";
import { Button } from "../../pages/kit/button.jsx";
import { form } from "./draft.js";
import { transfer } from "./transfer.js";

/** The chosen file, as the browser sees it. @param {{ of: import("./draft.js").Chosen }} props */
export function Preview({ of: { file, url, media } }) {
  const second = useSignal(0);
  const length = media?.durationMs != null && duration(media.durationMs);
  const facts = [bytes(file.size), length, media && `${media.width} × ${media.height}`];
  const useFrame = () => (form.value = { ...form.value, thumbnailTime: duration(second.value * 1000) });
  return (
    <div class="preview">
      {media === null
        ? <p class="stage note">Your browser cannot play this file. The service may still accept it.</p>
        : <video class="stage" src={url} controls muted playsInline preload="metadata" aria-label="Preview"
            onTimeUpdate={(event) => (second.value = Math.floor(event.currentTarget.currentTime))} />}
      <p class="name" dir="auto">{file.name}</p>
      <p class="note number">{facts.filter(Boolean).join(" · ")}</p>
      {media && !transfer.value && (
        <Button onClick={useFrame}>Use {duration(second.value * 1000)} as thumbnail</Button>
      )}
    </div>
  );
}
