import { useEffect } from "preact/hooks";
import { get, post } from "../api.js";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { SelectField, TextField } from "../../pages/kit/field.jsx";
import { useKeptFocus } from "../../pages/kit/kept-focus.js";
import { useLoad } from "../../pages/kit/load.js";
import { useAction } from "./action.js";
import { changesOf, editedForm, fieldOfError, formOf, MAX_CHARACTERS, mistakesIn } from "./edit.js";
import { LabelFields } from "./label-fields.jsx";
import { MetadataField } from "./metadata-field.jsx";
import { Section } from "../../pages/kit/section.jsx";
import { actionsOf } from "./video-rules.js";

/** @typedef {import("./video-store.js").VideoStore} VideoStore */
/** @typedef {import("./video-rules.js").Video} Video */
/** @typedef {import("./edit.js").Form} Form */

/** The fields of the video, edited in place. @param {{ store: VideoStore, video: Video }} props */
export function Details({ store, video }) {
  const action = useAction(store);
  const form = editedForm(store.edits.value, video);
  const changes = changesOf(store.edits.value, video);
  const isChanged = Object.keys(changes).length > 0;
  const mistakes = mistakesIn(form);
  const failedField = fieldOfError(action.failure?.field);
  const may = actionsOf(video);
  const errors = failedField && action.failure ? { ...mistakes, [failedField]: action.failure.what } : mistakes;
  // What is saved or undone takes its buttons away.
  const place = useKeptFocus(isChanged);
  useUnsavedWarning(isChanged);
  useEffect(() => {
    const wrong = action.failure && place.current?.querySelector(".error, .failure");
    wrong?.scrollIntoView({ block: "center" });
  }, [action.failure]);
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!isChanged || Object.keys(mistakes).length) return;
    const before = formOf(video);
    const restore = () => {
      const now = store.video.peek();
      if (now) action.run(() => update(video, changesOf(before, now)), "Undone");
    };
    if (await action.run(() => update(video, changes), "Saved", restore)) store.undo();
  };
  const edit = (/** @type {Partial<Form>} */ change) => {
    action.clear();
    store.edit(change);
  };
  const undo = () => {
    action.clear();
    store.undo();
  };
  const submitByKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save(event);
  };
  return (
    <Section title="Details">
      <form class="stack step" ref={place} tabindex={-1} noValidate onSubmit={save} onKeyDown={submitByKey}>
        {may.editTexts ? <Texts form={form} errors={errors} onEdit={edit} /> : <Caption video={video} />}
        {may.editTexts && <LabelFields labels={form} locked={video.moderator_labels} errors={errors} onEdit={edit} />}
        <TextField label="External ID" value={form.external_id} error={errors.external_id}
          most={MAX_CHARACTERS.external_id} help="Your own ID for the video, to find it by."
          onInput={(external_id) => edit({ external_id })} />
        <MetadataField rows={form.metadata} error={errors.metadata} onChange={(metadata) => edit({ metadata })} />
        {action.failure && !failedField && <FailureNote failure={action.failure} />}
        {isChanged && (
          <div class="save" role="group" aria-label="Unsaved changes">
            <span class="dim">Unsaved changes</span>
            <Button onClick={undo}>Undo</Button>
            <Button kind="main" type="submit" busy={action.isBusy}>Save changes</Button>
          </div>
        )}
      </form>
    </Section>
  );
}

/**
 * @param {Video} video
 * @param {Record<string, unknown>} changes
 */
function update(video, changes) {
  return post("/developer/update_content", { content_uuid: video.content_uuid, ...changes });
}

/** @type {Promise<any> | null} */
let categories = null;

/** Reads the categories once: they hardly ever change. */
function readCategories() {
  categories ??= get("/developer/categories");
  categories.catch(() => (categories = null));
  return categories;
}

/** @param {{ form: Form, errors: Record<string, string>, onEdit: (change: Partial<Form>) => void }} props */
function Texts({ form, errors, onEdit }) {
  const { data } = useLoad(readCategories);
  const known = /** @type {{ id: number, name: string }[]} */ (data?.categories ?? []);
  const options = [{ value: "", label: "None" }, ...known.map(({ id, name }) => ({ value: String(id), label: name }))];
  const chosen = form.super_category_id;
  if (!options.some(({ value }) => value === chosen)) options.push({ value: chosen, label: `Category ${chosen}` });
  return (
    <>
      <TextField label="Caption" multiline value={form.caption} error={errors.caption} most={MAX_CHARACTERS.caption}
        onInput={(caption) => onEdit({ caption })} />
      <SelectField label="Category" value={chosen} error={errors.super_category_id} options={options}
        onInput={(super_category_id) => onEdit({ super_category_id })} />
      <TextField label="AI summary" multiline value={form.ai_summary_of_content} error={errors.ai_summary_of_content}
        most={MAX_CHARACTERS.ai_summary_of_content} help="What happens in the video, in a few sentences."
        onInput={(ai_summary_of_content) => onEdit({ ai_summary_of_content })} />
    </>
  );
}

/** The caption of a video whose texts cannot be changed. @param {{ video: Video }} props */
function Caption({ video }) {
  if (!video.caption) return null;
  return (
    <div class="field">
      <span class="label">Caption</span>
      <p class="read-only" dir="auto">{video.caption}</p>
    </div>
  );
}

/** @param {boolean} isChanged */
export function useUnsavedWarning(isChanged) {
  useEffect(() => {
    if (!isChanged) return;
    const warn = (/** @type {Event} */ event) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isChanged]);
}
