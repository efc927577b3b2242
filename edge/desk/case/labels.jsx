// The labels of a video: what viewers are told about it. A change is made at once, and can be made back as easily.
import { useSignal } from "@preact/signals";
import { Check } from "../../pages/kit/field.jsx";
import { Section } from "../../pages/kit/section.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { failureFrom, post } from "../api.js";
import { useCommands } from "../keys/commands.js";

/** @typedef {import("../types").Label} Label */

/** @type {{ label: Label, name: string, help: string }[]} */
const LABELS = [
  { label: "is_sensitive", name: "Sensitive", help: "Viewers see a warning before the video." },
  { label: "is_ai_generated", name: "AI-generated", help: "The page says that the video was made with AI." },
];

/** @param {import("../types").Content} content @param {Label} label */
const whoSet = (content, label) => {
  if (!content[label]) return "";
  return content.moderator_labels.includes(label) ? " Set by a moderator." : " Set by the owner.";
};

/**
 * @param {{ content: import("../types").Content, mayChange: boolean, onChanged: () => Promise<void> }} props
 */
export function Labels({ content, mayChange, onChanged }) {
  const busy = useSignal(/** @type {Label | null} */ (null));
  const isPossible = mayChange && content.state !== "deleted";
  const change = async (/** @type {Label} */ label) => {
    if (busy.peek()) return;
    busy.value = label;
    const { content_uuid } = content;
    try {
      await post("/moderation/label", { content_uuid, [label]: !content[label], reason: "At the desk." });
      await onChanged();
    } catch (error) {
      toast(`The label was not changed. ${failureFrom(error).what}`);
    }
    busy.value = null;
  };
  useCommands({
    "label-sensitive": isPossible && (() => change("is_sensitive")),
    "label-ai": isPossible && (() => change("is_ai_generated")),
  });
  return (
    <Section title="Labels">
      {LABELS.map(({ label, name, help }) => (
        <Check key={label} label={name} help={help + whoSet(content, label)} checked={content[label]}
          disabled={!isPossible || busy.value === label} onChange={() => change(label)} />
      ))}
      {content.visibility === "unlisted" && <p class="note">Unlisted: only people with the link can find the video.</p>}
    </Section>
  );
}
