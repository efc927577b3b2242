// The account's API key: created, replaced, deleted.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { settings } from "../api.js";
import { Button } from "../../pages/kit/button.jsx";
import { CodeTabs } from "../../pages/kit/code.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { counted, dayAndTime } from "../../pages/kit/format.js";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { now, Time } from "../../pages/kit/time.jsx";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { isUnseen, key, keyFailure, previousKeyEnd, readKey } from "./current.js";
import { CreateKey } from "./create.jsx";
import { DeleteDialog, RotateDialog } from "./dialogs.jsx";
import { firstCommands } from "./snippets.js";
import { ShownOnce } from "../../pages/kit/shown-once.jsx";

export default function Key() {
  const fresh = useSignal(/** @type {string | null} */ (null));
  useEffect(() => {
    readKey();
  }, []);
  const show = (/** @type {string} */ full) => (fresh.value = full);
  const previousEnd = previousKeyEnd(key.value, now.value);
  return (
    <>
      <PageHead title="API key">Your programs use it to upload videos. Each account has one key.</PageHead>
      {key.value === undefined && <Loading />}
      {key.value === null && <NoKey onMade={show} />}
      {key.value && <OneKey of={key.value} onMade={show} />}
      {fresh.value && (
        <ShownOnce name="key" label="API key" secret={fresh.value} onClose={() => (fresh.value = null)}
          lead="If you lose it, rotate it to get a new one."
          help="Treat it like a password: store it in a secret manager or an environment variable, never in code.">
          {previousEnd && (
            <p>The old key also works until {dayAndTime(previousEnd)}. Replace it in your programs by then.</p>
          )}
        </ShownOnce>
      )}
    </>
  );
}

function Loading() {
  if (keyFailure.value) return <FailureNote failure={keyFailure.value} onRetry={readKey} />;
  return <Skeleton height="11rem" />;
}

/** @param {{ onMade: (full: string) => void }} props */
function NoKey({ onMade }) {
  return (
    <>
      <Empty title="No key yet" action={<CreateKey onMade={onMade} />}>
        With an API key, your programs can upload videos to your channel, track them, and edit or delete them. The full
        key is shown only once, when you create it.
      </Empty>
      <Commands title="Then run this in a terminal" />
    </>
  );
}

/** @param {{ of: import("./current.js").Key, onMade: (full: string) => void }} props */
function OneKey({ of, onMade }) {
  const asked = useSignal(/** @type {"rotate" | "delete" | null} */ (null));
  const previousEnd = previousKeyEnd(of, now.value);
  const dialog = { hint: of.key_hint, hasPrevious: previousEnd !== null, onClose: () => (asked.value = null) };
  const made = (/** @type {string} */ full) => {
    dialog.onClose();
    onMade(full);
  };
  return (
    <>
      {isUnseen.value && (
        <p class="bar" role="alert">This key was created but could not be shown. If you did not save it, rotate it.</p>
      )}
      <section class="panel key" aria-label="Your key">
        <dl class="facts">
          <div class="wide"><dt>Key</dt><dd><code class="hint">{of.key_hint}</code></dd></div>
          <div><dt>Created</dt><dd><Time unix={of.created_at_unix} /></dd></div>
          {of.rotated_at_unix != null && <div><dt>Rotated</dt><dd><Time unix={of.rotated_at_unix} /></dd></div>}
          <div>
            <dt>Last used</dt>
            <dd>{of.last_used_at_unix == null ? "never" : <Time unix={of.last_used_at_unix} />}</dd>
          </div>
          <div><dt>Used</dt><dd class="number">{counted(of.uses_count, "time")}</dd></div>
          {previousEnd && (
            <div class="wide">
              <dt>Previous key</dt>
              <dd>Works until {dayAndTime(previousEnd)}. Rotating again or deleting the key revokes it immediately.</dd>
            </div>
          )}
        </dl>
        <div class="row">
          <Button onClick={() => (asked.value = "rotate")}>Rotate key</Button>
          <Button kind="danger" onClick={() => (asked.value = "delete")}>Delete key</Button>
        </div>
      </section>
      <Commands title="Use it in a terminal" />
      {asked.value === "rotate" && <RotateDialog {...dialog} onMade={made} />}
      {asked.value === "delete" && <DeleteDialog {...dialog} />}
    </>
  );
}

/** @param {{ title: string }} props */
function Commands({ title }) {
  const at = settings.value;
  if (!at) return null;
  return (
    <section class="section">
      <h2>{title}</h2>
      <CodeTabs label="Commands" tabs={firstCommands(at.upload_url)} />
      <p class="note">
        <a href={`${at.site_url}/docs/publish/quick-start`}>Quick start</a> explains each step.
        {" "}<a href={`${at.site_url}/docs/publish/programs`}>Complete programs</a> in Python and Node.js, and
        {" "}<a href={`${at.site_url}/docs/publish/cli`}>the <code>clipgate</code> CLI</a>, also handle retries.
      </p>
    </section>
  );
}
