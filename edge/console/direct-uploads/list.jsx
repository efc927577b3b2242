import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useAction } from "../kit/action.js";
import { Button } from "../kit/button.jsx";
import { CopyButton } from "../kit/copy.jsx";
import { Dialog } from "../kit/dialog.jsx";
import { Empty } from "../kit/empty.jsx";
import { Endless, Stale, useFollow } from "../kit/endless.jsx";
import { FailureNote } from "../kit/failure.jsx";
import { bytes, dayAndTime, duration } from "../kit/format.js";
import { Mark } from "../kit/mark.jsx";
import { OpenRow } from "../kit/open-row.jsx";
import { now, Time } from "../kit/time.jsx";
import { toast } from "../kit/toast.jsx";
import { settings } from "../api.js";
import { navigate, query } from "../router.js";
import { PageHead } from "../shell.jsx";
import { useCategories } from "./categories.js";
import { Countdown } from "./countdown.jsx";
import { describeUpload, labelOf, nameOf, rulesOf, STATES, textOf } from "./describe.js";
import { directUploads, revoke } from "./store.js";

/** @typedef {import("./describe.js").DirectUpload} DirectUpload */

const CREATE = "/console/direct-uploads?view=create";

export function List() {
  const wanted = query.value.get("state") ?? "";
  const state = STATES.some(({ value }) => value === wanted) ? wanted : "";
  const feed = useMemo(() => directUploads(state), [state]);
  const stale = useFollow(feed);
  const isEmpty = !state && feed.isAtEnd.value && feed.rows.value.length === 0;
  return (
    <>
      <PageHead title="Direct uploads" action={!isEmpty && <Button kind="main" href={CREATE}>Create direct upload</Button>}>
        With a one-time token, a user of your app uploads one video straight to your channel.
      </PageHead>
      {!isEmpty && <StateFilter state={state} />}
      <Stale of={stale} />
      <Endless feed={feed} one="direct upload" empty={state ? <NoneInState state={state} /> : <NoDirectUpload />}>
        {(rows) => (
          <ul class="rows">
            {rows.map((row) => <Row key={row.direct_upload_id} upload={row} onRevoked={feed.put} />)}
          </ul>
        )}
      </Endless>
    </>
  );
}

/** @param {string} state */
const show = (state) => navigate(`/console/direct-uploads${state && `?state=${state}`}`, { replace: true });

/** @param {{ state: string }} props */
function StateFilter({ state }) {
  return (
    <div class="filters">
      <select class="input" aria-label="State" value={state} onInput={(event) => show(event.currentTarget.value)}>
        <option value="">All states</option>
        {STATES.map(({ value, label }) => <option key={value} value={value}>{label}</option>)}
      </select>
    </div>
  );
}

/** @param {{ upload: DirectUpload, onRevoked: (upload: DirectUpload) => void }} props */
function Row({ upload, onRevoked }) {
  const { word, tone, isOpen } = describeUpload(upload, now.value);
  const uuid = upload.content_uuid;
  return (
    <OpenRow name={<span dir="auto">{nameOf(upload)}</span>} look="direct-cells" cells={<>
      <span class="rules note cut">{rulesOf(upload)}</span>
      <Mark tone={tone}>{word}</Mark>
      <span class="of note">{uuid && <a href={`/console/uploads/${uuid}`}>Video</a>}</span>
      <span class="when note">
        {isOpen ? <>Ends in <Countdown unix={upload.expires_at_unix} /></> : <Time unix={upload.created_at_unix} />}
      </span>
    </>}>
      {() => <Opened upload={upload} isOpen={isOpen} onRevoked={onRevoked} />}
    </OpenRow>
  );
}

/** @param {{ upload: DirectUpload, isOpen: boolean, onRevoked: (upload: DirectUpload) => void }} props */
function Opened({ upload, isOpen, onRevoked }) {
  const isAsking = useSignal(false);
  const { fields, user_may_set: mayBeSet, content_uuid: uuid } = upload;
  return (
    <>
      <dl class="settings">
        {uuid && <div><dt>Video</dt><dd><a class="whole" href={`/console/uploads/${uuid}`}>{uuid}</a></dd></div>}
        <div><dt>Created</dt><dd>{dayAndTime(upload.created_at_unix)}</dd></div>
        <div><dt>{isOpen ? "Ends" : "Valid until"}</dt><dd>{dayAndTime(upload.expires_at_unix)}</dd></div>
        <div><dt>Pages</dt><dd class="whole">{upload.allowed_origin ?? "None: only apps and programs"}</dd></div>
        <div><dt>Largest file</dt><dd>{upload.max_bytes === null ? "As the service allows" : bytes(upload.max_bytes)}</dd></div>
        <div>
          <dt>Longest</dt>
          <dd>{upload.max_duration_ms === null ? "As the service allows" : duration(upload.max_duration_ms)}</dd>
        </div>
        {Object.entries(fields).map(([name, value]) => (
          <div key={name}>
            <dt>{labelOf(name)}</dt>
            <dd class="whole" dir="auto">{name === "super_category_id" ? <CategoryName id={value} /> : textOf(name, value)}</dd>
          </div>
        ))}
        <div><dt>User may set</dt><dd>{mayBeSet.length ? mayBeSet.map(labelOf).join(", ") : "Nothing"}</dd></div>
        <div><dt>Publication</dt><dd>{upload.requires_release ? "Once you release the video" : "As soon as it is approved"}</dd></div>
        <div>
          <dt>Id</dt>
          <dd class="row">
            <code class="whole">{upload.direct_upload_id}</code><CopyButton text={upload.direct_upload_id} label="Copy id" />
          </dd>
        </div>
      </dl>
      {isOpen && <div><Button kind="danger" onClick={() => (isAsking.value = true)}>Revoke token</Button></div>}
      {isAsking.value && (
        <RevokeDialog upload={upload} onClose={() => (isAsking.value = false)} onRevoked={onRevoked} />
      )}
    </>
  );
}

/** @param {{ id: string }} props */
function CategoryName({ id }) {
  return <>{useCategories().find((category) => String(category.id) === id)?.name ?? id}</>;
}

/** @param {{ upload: DirectUpload, onClose: () => void, onRevoked: (upload: DirectUpload) => void }} props */
function RevokeDialog({ upload, onClose, onRevoked }) {
  const { busy, failure, start } = useAction(async () => {
    const state = await revoke(upload.direct_upload_id);
    onRevoked({ ...upload, state });
    toast(state === "revoked" ? "Token revoked" : "The token had ended before");
    onClose();
  });
  return (
    <Dialog title={`Revoke the token for “${nameOf(upload)}”?`} onClose={onClose} onSubmit={start} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="danger" sure type="submit" busy={busy}>Revoke token</Button>
    </>}>
      <p>It stops working at once, and an upload in progress with it ends. This cannot be undone.</p>
      {failure && <FailureNote failure={failure} />}
    </Dialog>
  );
}

/** @param {{ state: string }} props */
function NoneInState({ state }) {
  return (
    <Empty title={`No direct uploads are ${state}`} action={<Button onClick={() => show("")}>Show all states</Button>}>
      One that has ended stays in the list for 7 days.
    </Empty>
  );
}

function NoDirectUpload() {
  const site = settings.value?.site_url;
  return (
    <Empty title="No direct uploads yet" action={<Button kind="main" href={CREATE}>Create direct upload</Button>}>
      Users of your app upload from their browsers and phones, and your server never handles the file. Usually your
      server creates a token for each upload with the API key; create one here to try it.
      {site && <> <a href={`${site}/docs/direct-uploads`}>Direct uploads</a> explains the steps.</>}
    </Empty>
  );
}
