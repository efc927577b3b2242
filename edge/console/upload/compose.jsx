// The fields of the upload, and the verdict of the rules before it begins.
import { useSignal } from "@preact/signals";
import { get } from "../api.js";
import { Button } from "../../pages/kit/button.jsx";
import { focusError, SelectField, TextField } from "../../pages/kit/field.jsx";
import { useLoad } from "../../pages/kit/load.js";
import { now } from "../../pages/kit/time.jsx";
import { LabelFields } from "../uploads/label-fields.jsx";
import { chosen, drop, form } from "./draft.js";
import { fieldsOf, judgeFile, judgeForm } from "./rules.js";
import { begin } from "./transfer.js";

/** @typedef {import("./rules.js").Form} Form */

/** @param {{ rules: import("./rules.js").Rules, isOpen: boolean }} props `isOpen`: whether an upload is left today. */
export function Compose({ rules, isOpen }) {
  const isShown = useSignal(false);
  const picked = chosen.value;
  if (!picked) return null;
  const { file, media } = picked;
  const problem = media === undefined ? null : judgeFile(file, media, rules);
  const errors = judgeForm(form.value, media ?? null, rules, now.value);
  const isFaulty = Object.keys(errors).length > 0;
  const send = () => {
    isShown.value = true;
    if (isFaulty) focusError();
    else begin(file, fieldsOf(form.value));
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!problem && isOpen) send();
  };
  return (
    <form class="compose" onSubmit={submit} noValidate>
      {problem && (
        <div class="failure" role="alert">
          <p><b>{problem.what}</b> {problem.next}</p>
          <div class="row">
            <Button kind="main" onClick={drop}>Choose another video</Button>
            {!problem.isSure && <Button kind="quiet" disabled={!isOpen} onClick={send}>Upload anyway</Button>}
          </div>
        </div>
      )}
      <Fields rules={rules} errors={errors} isShown={isShown.value} />
      {!problem && (
        <div class="row">
          <Button kind="main" type="submit" busy={media === undefined} disabled={!isOpen}>Upload video</Button>
          <Button kind="quiet" onClick={drop}>Choose another</Button>
        </div>
      )}
    </form>
  );
}

/**
 * @param {{ rules: import("./rules.js").Rules, errors: ReturnType<typeof judgeForm>, isShown: boolean }} props
 *   `isShown`: whether errors are shown in fields that are still empty or being typed.
 */
function Fields({ rules, errors, isShown }) {
  const edit = (/** @type {Partial<Form>} */ change) => (form.value = { ...form.value, ...change });
  const set = (/** @type {keyof Form} */ name) => (/** @type {string} */ value) => edit({ [name]: value });
  const { caption, summary, thumbnailTime, category, publishAt } = form.value;
  const hidden = ["summary", "thumbnailTime", "category", "publishAt"];
  const isOpen = hidden.some((name) => errors[/** @type {keyof typeof errors} */ (name)]);
  const shown = (/** @type {string | undefined} */ error) => (isShown ? error : null);
  return (
    <>
      <TextField label="Caption" optional multiline value={caption} onInput={set("caption")}
        most={rules.max_caption_characters} error={errors.caption}
        help="The text below the video. It can include #hashtags." />
      <LabelFields labels={form.value} onEdit={edit} />
      <details class="more" open={isOpen || thumbnailTime !== "" || undefined}>
        <summary>More</summary>
        <div class="stack">
          <TextField label="Thumbnail time" optional value={thumbnailTime} onInput={set("thumbnailTime")}
            error={shown(errors.thumbnailTime)} help="Minutes and seconds, such as 0:03. If empty, the service chooses."
            input={{ inputMode: "numeric", placeholder: "0:03", class: "input short" }} />
          <Categories value={category} onInput={set("category")} />
          <TextField label="Publish at" optional value={publishAt} onInput={set("publishAt")} error={errors.publishAt}
            help="In your time zone. If empty, the video is published once it is approved."
            input={{ type: "datetime-local", class: "input short" }} />
          <TextField label="AI summary" optional multiline value={summary} onInput={set("summary")}
            most={rules.max_ai_summary_characters} error={errors.summary}
            help="What happens in the video, in your words or a model's." />
        </div>
      </details>
    </>
  );
}

/** @param {{ value: string, onInput: (value: string) => void }} props */
function Categories({ value, onInput }) {
  const { data } = useLoad((signal) => get("/developer/categories", {}, signal));
  /** @type {{ id: number, name: string }[]} */
  const categories = data?.categories ?? [];
  if (!categories.length) return null;
  const named = categories.map(({ id, name }) => ({ value: String(id), label: name }));
  const options = [{ value: "", label: "None" }, ...named];
  return <SelectField label="Category" optional value={value} onInput={onInput} options={options} />;
}
