import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Alone } from "../../pages/kit/alone.jsx";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { Field } from "../../pages/kit/field.jsx";
import { failureFrom, signIn } from "../api.js";

/** Characters of a header. A token that was pasted with anything else is incomplete or mistyped. */
const TOKEN = /^[\x21-\x7e]+$/;

const INVALID = "This token is not valid, or it has expired. Ask the operator for a new one.";

export function SignInPage() {
  return (
    <Alone title="Sign in to the desk">
      <p>This is where moderators review videos. To sign in, you need your own token from the operator.</p>
      <SignInForm takesFocus />
    </Alone>
  );
}

/**
 * The form. What is typed leaves the field as soon as it is sent.
 * @param {{ takesFocus?: boolean, onOtherPerson?: () => void }} props
 */
export function SignInForm({ takesFocus, onOtherPerson = () => {} }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const busy = useSignal(false);
  const error = useSignal(/** @type {string | null} */ (null));
  const failure = useSignal(/** @type {import("../../pages/kit/failures.js").Failure | null} */ (null));
  useEffect(() => {
    if (takesFocus) input.current?.focus();
  }, []);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const token = input.current?.value.trim() ?? "";
    if (busy.peek() || !input.current) return;
    [error.value, failure.value] = [null, null];
    if (!TOKEN.test(token)) {
      error.value = token ? "A token has no spaces or special characters. Copy all of it." : "Paste your token.";
      return input.current.focus();
    }
    busy.value = true;
    input.current.value = "";
    try {
      await signIn(token, onOtherPerson);
    } catch (thrown) {
      const found = failureFrom(thrown);
      if (found.kind === "signed_out") error.value = INVALID;
      else failure.value = found;
      input.current?.focus();
    }
    busy.value = false;
  };
  return (
    <form class="sign-in" onSubmit={submit}>
      <Field label="Token" error={error.value} help="It is sent once and not stored on this device.">
        {(ids) => <input class="input mono" type="password" {...ids} ref={input} autocomplete="off" spellcheck={false} />}
      </Field>
      {failure.value && <FailureNote failure={failure.value} />}
      <Button kind="main" type="submit" busy={busy.value}>Sign in</Button>
    </form>
  );
}
