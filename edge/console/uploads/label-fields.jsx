import { Check, RadioField } from "../../pages/kit/field.jsx";
import { LABELS, VISIBILITIES } from "./labels.js";

/** @typedef {import("./labels.js").Labels} Labels */

/**
 * The visibility and the labels of a video, for the upload form and for a video's details.
 * @param {{ labels: Labels, locked?: string[], errors?: Record<string, string>,
 *   onEdit: (change: Partial<Labels>) => void }} props `locked`: the labels that a moderator has set.
 */
export function LabelFields({ labels, locked = [], errors = {}, onEdit }) {
  return (
    <>
      <RadioField label="Visibility" value={labels.visibility} options={VISIBILITIES} error={errors.visibility}
        onInput={(visibility) => onEdit({ visibility })} />
      <fieldset class="field choice">
        <legend>Labels</legend>
        {LABELS.map(({ name, label, meaning }) => {
          const isLocked = locked.includes(name);
          return (
            <Check key={name} label={label} checked={isLocked || labels[name]} disabled={isLocked}
              help={isLocked ? "Set by a moderator. You cannot remove it." : meaning} error={errors[name]}
              onChange={(checked) => onEdit({ [name]: checked })} />
          );
        })}
      </fieldset>
    </>
  );
}
