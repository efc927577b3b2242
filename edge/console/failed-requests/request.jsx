import { CopyButton } from "../../pages/kit/copy.jsx";
import { Prose } from "../../pages/kit/prose.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { credentialName } from "./groups.js";

/** One request that failed. @param {{ of: import("./counts.js").FailedRequest }} props */
export function Request({ of }) {
  return (
    <li class="request">
      <p class="line">
        <code>{of.method} {of.path}</code>
        <span class="number dim">{of.status}</span>
        <span class="dim when"><Time unix={of.at_unix} /></span>
      </p>
      {of.detail && <p class="words" dir="auto"><Prose text={of.detail} /></p>}
      <dl class="note">
        {of.field !== null && <div><dt>Field</dt><dd><code>{of.field}</code></dd></div>}
        <div><dt>Sent with</dt><dd>{credentialName(of.credential)}</dd></div>
        <div><dt>User agent</dt><dd class="words" dir="auto">{of.user_agent ?? "none"}</dd></div>
        <div class="id">
          <dt>ID</dt>
          <dd>
            <code class="words">{of.request_id}</code>
            <CopyButton text={of.request_id} label="Copy" name={`Copy request ID ${of.request_id}`} />
          </dd>
        </div>
      </dl>
    </li>
  );
}
