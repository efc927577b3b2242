// Try it: one upload from the page, by the same rules as from a program.
import { get, settings } from "../api.js";
import { CodeTabs } from "../../pages/kit/code.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { useKeptFocus } from "../../pages/kit/kept-focus.js";
import { useLoad } from "../../pages/kit/load.js";
import { Skeleton } from "../../pages/kit/skeleton.jsx";
import { now } from "../../pages/kit/time.jsx";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { describeReset } from "../today/quota.js";
import { Choose } from "./choose.jsx";
import { Compose } from "./compose.jsx";
import { chosen, form } from "./draft.js";
import { Preview } from "./preview.jsx";
import { fieldsOf } from "./rules.js";
import { Sending } from "./sending.jsx";
import { Sent } from "./sent.jsx";
import { commandsFor } from "./snippets.js";
import { transfer } from "./transfer.js";

/** @typedef {import("../today/quota.js").Limits} Limits */

export default function Upload() {
  const { data, failure, loading, reload } = useLoad((signal) => get("/developer/upload_limits", {}, signal));
  /** @type {Limits | null} */
  const limits = data;
  return (
    <>
      <PageHead title="Upload a video">
        Publish a video from your browser. The same rules apply as for your programs.
      </PageHead>
      {failure && !limits && <FailureNote failure={failure} onRetry={reload} busy={loading} />}
      {limits && !transfer.value && limits.remaining === 0 && <NothingLeft limits={limits} />}
      {limits ? <Stage limits={limits} /> : !failure && <Skeleton height="17rem" />}
      {limits && <Same limits={limits} />}
    </>
  );
}

/** @param {{ limits: Limits }} props */
function NothingLeft({ limits }) {
  return (
    <p class="bar" role="status">
      You have used all {limits.limit_amount} of today's uploads.
      {" "}The limit resets {describeReset(limits.changes_reset_time_unix, now.value)}.
    </p>
  );
}

/** @param {{ limits: Limits }} props */
function Stage({ limits }) {
  const phase = transfer.value?.phase;
  const ends = phase === "refused" || phase === "sent";
  const step = phase ? (ends ? phase : "sending") : chosen.value ? "compose" : "choose";
  return <div class="step" ref={useKeptFocus(step)} tabindex={-1}><Step limits={limits} /></div>;
}

/** @param {{ limits: Limits }} props */
function Step({ limits }) {
  const at = transfer.value;
  if (at?.phase === "sent" && at.uuid) return <Sent uuid={at.uuid} />;
  if (!at && !chosen.value) return <Choose rules={limits.accepts} />;
  return (
    <div class="upload">
      {at ? <Sending at={at} /> : <Compose rules={limits.accepts} isOpen={limits.remaining > 0} />}
      {chosen.value && <Preview of={chosen.value} />}
    </div>
  );
}

/** The same upload by a program. @param {{ limits: Limits }} props */
function Same({ limits }) {
  const address = settings.value?.upload_url ?? "";
  const tabs = commandsFor(address, chosen.value?.file ?? null, fieldsOf(form.value), limits.accepts.max_file_bytes);
  return (
    <section class="section">
      <h2>Do the same from your code</h2>
      <CodeTabs label="Programs" tabs={tabs} />
      <p class="note">
        curl and JavaScript read your <a href="/console/key">API key</a> from <code>API_KEY</code>; clipgate asks for it
        once, when you run <code>clipgate login</code>.
      </p>
    </section>
  );
}
