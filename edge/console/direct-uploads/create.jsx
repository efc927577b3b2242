// The form for a new direct upload.
import { useSignal } from "@preact/signals";
import { useAction } from "../../pages/kit/action.js";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { Check, focusError, SelectField, TextField } from "../../pages/kit/field.jsx";
import { navigate } from "../../pages/kit/router.js";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { useCategories } from "./categories.js";
import { FORM_FIELDS, formField, judge, newDraft, requestOf } from "./draft.js";
import { createDirectUpload } from "./store.js";
import { showToken } from "./token.jsx";

/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {import("./draft.js").Who} Who */
/** @typedef {{ label: string, value: string, error: string | null, onInput: (text: string) => void }} Control */

const ENDS = [
  { value: "600", label: "10 minutes" }, { value: "3600", label: "1 hour" }, { value: "21600", label: "6 hours" },
  { value: "86400", label: "24 hours" },
];

const ORIGIN = { type: "url", dir: "ltr", spellcheck: false, placeholder: "https://app.example" };

export function Create() {
  const draft = useSignal(newDraft());
  const isShown = useSignal(false);
  const errors = judge(draft.value);
  const { busy, failure, start } = useAction(async () => {
    const request = requestOf(draft.value);
    const created = await createDirectUpload(request);
    navigate("/console/direct-uploads", { replace: true });
    showToken(created, request);
  });
  const refused = formField(failure?.field ?? null);
  const errorOf = (/** @type {string} */ name) =>
    (isShown.value ? errors[name] : undefined) ?? (failure && refused === name ? failure.what : null);
  const set = (/** @type {Partial<Draft>} */ change) => (draft.value = { ...draft.value, ...change });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    isShown.value = true;
    if (Object.keys(errors).length === 0) start();
    else focusError();
  };
  const { origin, expiresIn, externalId, megabytes, seconds, requiresRelease } = draft.value;
  return (
    <>
      <PageHead title="Create a direct upload">A one-time token lets one user upload one video.</PageHead>
      <form class="stack direct-form" onSubmit={submit} noValidate>
        <TextField label="Allowed origin" optional value={origin} onInput={(text) => set({ origin: text })}
          error={errorOf("origin")} input={ORIGIN}
          help="The origin of your web page. If empty, only apps and programs can use the token." />
        <SelectField label="Upload must start within" value={expiresIn} options={ENDS}
          onInput={(value) => set({ expiresIn: value })} />
        <TextField label="External ID" optional value={externalId} onInput={(text) => set({ externalId: text })}
          error={errorOf("externalId")} most={128} help="Your own ID for the video, such as your user's ID." />
        <div class="two-fields">
          <TextField label="Maximum file size in MB" value={megabytes} onInput={(text) => set({ megabytes: text })}
            error={errorOf("megabytes")} input={{ inputMode: "decimal", placeholder: "Service limit" }} />
          <TextField label="Maximum duration in seconds" value={seconds} onInput={(text) => set({ seconds: text })}
            error={errorOf("seconds")} input={{ inputMode: "decimal", placeholder: "120" }} />
        </div>
        <Fields draft={draft.value} errorOf={errorOf} onChange={set} />
        <Check label="Publish the video only after I release it" checked={requiresRelease}
          onChange={(checked) => set({ requiresRelease: checked })}
          help="Anyone with the token can upload one video to your channel. Turn this on to review it first." />
        {failure && !refused && <FailureNote failure={failure} />}
        <div class="row">
          <Button kind="main" type="submit" busy={busy}>Create direct upload</Button>
          <Button onClick={() => navigate("/console/direct-uploads")}>Cancel</Button>
        </div>
      </form>
    </>
  );
}

/**
 * Who sets each field of the upload.
 * @param {{ draft: Draft, errorOf: (name: string) => string | null, onChange: (change: Partial<Draft>) => void }} props
 */
function Fields({ draft, errorOf, onChange }) {
  const set = (/** @type {string} */ name, /** @type {Partial<import("./draft.js").FieldChoice>} */ change) => {
    const before = draft.fields[name] ?? { who: "nobody", value: "" };
    onChange({ fields: { ...draft.fields, [name]: { ...before, ...change } } });
  };
  return (
    <fieldset class="choice who-sets">
      <legend>Upload fields</legend>
      {FORM_FIELDS.map(({ name, label, isFile, options }) => {
        const { who, value } = draft.fields[name] ?? { who: "nobody", value: "" };
        return (
          <div class="who" key={name}>
            <span class="name" aria-hidden="true">{label}</span>
            <select class="input" aria-label={`Who sets: ${label}`} value={who}
              onInput={(event) => set(name, { who: /** @type {Who} */ (event.currentTarget.value) })}>
              <option value="nobody">Not set</option>
              <option value="user">The user may set it</option>
              {!isFile && <option value="owner">I set it</option>}
            </select>
            {who === "owner" && (
              <Value name={name} label={`Value of ${label}`} value={value} error={errorOf(name)} options={options}
                onInput={(text) => set(name, { value: text })} />
            )}
          </div>
        );
      })}
    </fieldset>
  );
}

const LONG = ["caption", "ai_summary_of_content"];
/** @type {Record<string, Record<string, string>>} */
const CONTROLS = {
  thumbnail_time: { placeholder: "00:00:03", dir: "ltr" },
  scheduled_publish_at_unix: { type: "datetime-local" },
  metadata: { placeholder: '{"campaign": "spring"}', dir: "ltr", class: "input mono" },
};

/** @param {{ name: string, options?: import("./draft.js").Option[] } & Control} props */
function Value({ name, options, ...control }) {
  if (name === "super_category_id") return <Category {...control} />;
  if (options) return <SelectField {...control} options={[{ value: "", label: "Choose one" }, ...options]} />;
  return <TextField {...control} multiline={LONG.includes(name)} input={CONTROLS[name]} />;
}

/** @param {Control} props */
function Category(props) {
  const named = useCategories().map(({ id, name }) => ({ value: String(id), label: name }));
  return <SelectField {...props} options={[{ value: "", label: "Choose one" }, ...named]} />;
}
