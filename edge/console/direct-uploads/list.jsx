import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useAction } from "../../pages/kit/action.js";
import { Button } from "../../pages/kit/button.jsx";
import { CopyButton } from "../../pages/kit/copy.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { Endless, Stale, useFollow } from "../../pages/kit/endless.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { bytes, dayAndTime, duration } from "../../pages/kit/format.js";
import { Mark } from "../../pages/kit/mark.jsx";
import { OpenRow } from "../../pages/kit/open-row.jsx";
import { now, Time } from "../../pages/kit/time.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { settings } from "../api.js";
import { navigate, query } from "../../pages/kit/router.js";
import { PageHead } from "../../pages/kit/page-head.jsx";
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
      <PageHead title="Direct uploads" action={!isEmpty && <CreateButton />}>
        With a one-time token, a user of your app can upload one video directly to your channel.
      </PageHead>
      {!isEmpty && <StateFilter state={state} />}
      <Stale of={stale} />
      <Endless feed={feed} one="direct upload" empty={state ? <NoneInState state={state} /> : <NoDirectUpload />}>
        {(row) => <Row key={row.direct_upload_id} upload={row} onRevoked={feed.put} />}
      </Endless>
    </>
  );
}

const CreateButton = () => <Button kind="main" href={CREATE}>Create direct upload</Button>;

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
    <OpenRow name={<span dir="auto">{nameOf(upload, location.origin)}</span>} look="direct-cells" cells={<>
      <span class="rules note cut">{rulesOf(upload)}</span>
      <Mark tone={tone}>{word}</Mark>
      <span class="of note">{uuid && <a href={`/console/uploads/${uuid}`}>Video</a>}</span>
      <span class="when note">
        {isOpen ? <>Expires in <Countdown unix={upload.expires_at_unix} /></> : <Time unix={upload.created_at_unix} />}
      </span>
    </>}>
      {() => <Opened upload={upload} isOpen={isOpen} onRevoked={onRevoked} />}
    </OpenRow>
  );
}

/** @param {{ upload: DirectUpload, isOpen: boolean, onRevoked: (upload: DirectUpload) => void }} props */
function Opened({ upload, isOpen, onRevoked }) {
  const isAsking = useSignal(false);
  const { max_bytes: size, max_duration_ms: length, user_may_set: mayBeSet, content_uuid: uuid } = upload;
  return (
    <>
      <dl class="settings">
        {uuid && <Fact name="Video"><a href={`/console/uploads/${uuid}`}>{uuid}</a></Fact>}
        <Fact name="Created">{dayAndTime(upload.created_at_unix)}</Fact>
        <Fact name={isOpen ? "Expires" : "Valid until"}>{dayAndTime(upload.expires_at_unix)}</Fact>
        <Fact name="Allowed origin">{upload.allowed_origin ?? "None (only apps and programs)"}</Fact>
        <Fact name="Maximum file size">{size === null ? "Service limit" : bytes(size)}</Fact>
        <Fact name="Maximum duration">{length === null ? "Service limit" : duration(length)}</Fact>
        {Object.entries(upload.fields).map(([name, value]) => (
          <Fact key={name} name={labelOf(name)}>
            {name === "super_category_id" ? <CategoryName id={value} /> : textOf(name, value)}
          </Fact>
        ))}
        <Fact name="User may set">{mayBeSet.length ? mayBeSet.map(labelOf).join(", ") : "Nothing"}</Fact>
        <Fact name="Publication">
          {upload.requires_release ? "Once you release the video" : "As soon as it is approved"}
        </Fact>
        <Fact name="ID">
          <code>{upload.direct_upload_id}</code> <CopyButton text={upload.direct_upload_id} label="Copy ID" />
        </Fact>
      </dl>
      {isOpen && <div><Button kind="danger" onClick={() => (isAsking.value = true)}>Revoke token</Button></div>}
      {isAsking.value && (
        <RevokeDialog upload={upload} onClose={() => (isAsking.value = false)} onRevoked={onRevoked} />
      )}
    </>
  );
}

/** @param {{ name: string, children: import("preact").ComponentChildren }} props */
function Fact({ name, children }) {
  return <div><dt>{name}</dt><dd class="whole" dir="auto">{children}</dd></div>;
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
    toast(state === "revoked" ? "Token revoked" : "The token had already been used or had expired");
    onClose();
  });
  return (
    <Dialog title={`Revoke the token for “${nameOf(upload, location.origin)}”?`} onClose={onClose} onSubmit={start} foot={<>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="danger" sure type="submit" busy={busy}>Revoke token</Button>
    </>}>
      <p>It stops working immediately, and an upload in progress with it is canceled. This cannot be undone.</p>
      {failure && <FailureNote failure={failure} />}
    </Dialog>
  );
}

/** @param {{ state: string }} props */
function NoneInState({ state }) {
  return (
    <Empty title={`No ${state} direct uploads`} action={<Button onClick={() => show("")}>Show all states</Button>}>
      Used, expired and revoked tokens stay in the list for 7 days.
    </Empty>
  );
}

function NoDirectUpload() {
  const site = settings.value?.site_url;
  return (
    <Empty title="No direct uploads yet" action={<CreateButton />}>
      Users of your app can upload from a browser or phone, and your server never handles the file. Usually, your server
      creates a token for each upload with the API key. Create one here to try it.
      {site && <> <a href={`${site}/docs/publish/direct-uploads`}>Direct uploads</a> explains the steps.</>}
    </Empty>
  );
}
