import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { useAction } from "../../pages/kit/action.js";
import { Button } from "../../pages/kit/button.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { focusError, SelectField, TextField } from "../../pages/kit/field.jsx";
import { counted } from "../../pages/kit/format.js";
import { toast } from "../../pages/kit/toast.jsx";
import { del, person, post } from "../api.js";
import { quoted } from "../text.js";
import { LIFETIMES, problemOfName, ROLES, USUAL_LIFETIME, withRole } from "./roles.js";

const MAX_NAME = 100;
const DAY_SECONDS = 86_400;

/** @param {{ onClose: () => void, onMade: (secret: string) => void }} props */
export function CreateDialog({ onClose, onMade }) {
  const form = useSignal({ name: "", roles: ["look", "decide"], days: String(USUAL_LIFETIME) });
  const tried = useSignal(false);
  const { name, roles, days } = form.value;
  const set = (/** @type {Partial<typeof form.value>} */ change) => (form.value = { ...form.value, ...change });
  const { busy, failure, start } = useAction(async () => {
    const { token } = await post("/tokens", { name: name.trim(), roles, ttl_seconds: Number(days) * DAY_SECONDS });
    onClose();
    onMade(token);
  });
  const problem = problemOfName(name);
  const submit = () => {
    tried.value = true;
    if (problem || roles.length === 0) focusError();
    else start();
  };
  return (
    <Dialog title="Create a token" onClose={onClose} onSubmit={submit} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="main" type="submit" busy={busy}>Create token</Button>
    </>}>
      <TextField label="Name" help="The person or program that will use it. The history shows this name." value={name}
        most={MAX_NAME} error={tried.value ? problem : null} input={{ maxLength: MAX_NAME, autofocus: true }}
        onInput={(text) => set({ name: text })} />
      <Roles roles={roles} isWrong={tried.value && roles.length === 0}
        onChoose={(role, isOn) => set({ roles: withRole(roles, role, isOn) })} />
      <SelectField label="Valid for" value={days} onInput={(value) => set({ days: value })}
        options={LIFETIMES.map((length) => ({ value: String(length), label: counted(length, "day") }))} />
      {failure && <FailureNote failure={failure} />}
    </Dialog>
  );
}

/** @param {{ roles: string[], isWrong: boolean, onChoose: (role: string, isOn: boolean) => void }} props */
function Roles({ roles, isWrong, onChoose }) {
  const id = useId();
  return (
    <fieldset class="choice" aria-describedby={isWrong ? id : undefined}>
      <legend>Roles</legend>
      {ROLES.map(({ role, text }) => (
        <label class="check" key={role}>
          <input type="checkbox" checked={roles.includes(role)} aria-invalid={isWrong || undefined}
            onChange={(event) => onChoose(role, event.currentTarget.checked)} />
          <span><code>{role}</code> <span class="note">{text}</span></span>
        </label>
      ))}
      {isWrong && <p class="error" id={id} role="alert">Choose at least one role.</p>}
    </fieldset>
  );
}

/** @param {{ token: import("../types").NamedToken, onClose: () => void, onDone: () => void }} props */
export function RevokeDialog({ token, onClose, onDone }) {
  const { busy, failure, start } = useAction(async () => {
    await del("/tokens", { token_id: token.token_id });
    toast(`Token ${token.token_id} is revoked`);
    onClose();
    onDone();
  });
  return (
    <Dialog title={`Revoke the token of ${quoted(token.name)}?`} onClose={onClose} onSubmit={start} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="danger" sure type="submit" busy={busy}>Revoke token</Button>
    </>}>
      <p>
        Token {token.token_id} and every desk session that was started with it are revoked immediately. This cannot be
        undone.
      </p>
      {/* The service does not say which token a session has, and several tokens can have one name. */}
      {token.name === person.value?.name && (
        <p class="bar" role="alert">This token has your name. If you signed in with it, you will be signed out.</p>
      )}
      {failure && <FailureNote failure={failure} />}
    </Dialog>
  );
}
