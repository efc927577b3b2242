import { useSignal } from "@preact/signals";
import { announce } from "./announce.js";
import { Button } from "./button.jsx";

/**
 * @param {{ text: string, label?: string, name?: string, kind?: "main" | "plain" | "quiet", onCopied?: () => void }} props
 *   `name` says to screen readers which one it is, where several have the same label.
 */
export function CopyButton({ text, label = "Copy", name, kind = "quiet", onCopied }) {
  const said = useSignal("");
  const copy = async () => {
    said.value = await navigator.clipboard.writeText(text).then(() => "Copied", () => "Not copied");
    announce(said.value);
    if (said.value === "Copied") onCopied?.();
    setTimeout(() => (said.value = ""), 2000);
  };
  return (
    <Button kind={kind} aria-label={name} onClick={copy}>
      {/* Both labels take their room, so that the button keeps its width. */}
      <span class="swap">
        <span data-away={said.value ? "" : undefined}>{label}</span>
        <span data-away={said.value ? undefined : ""}>{said.value || "Copied"}</span>
      </span>
    </Button>
  );
}
