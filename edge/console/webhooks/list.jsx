import { Button } from "../../pages/kit/button.jsx";
import { CodeTabs } from "../../pages/kit/code.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { Endless, Stale, useFollow } from "../../pages/kit/endless.jsx";
import { counted } from "../../pages/kit/format.js";
import { Mark } from "../../pages/kit/mark.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { settings } from "../api.js";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { describeTypes, describeWebhook } from "./describe.js";
import { localCommands } from "./snippets.js";
import { webhooks } from "./store.js";
import { Tabs } from "./tabs.jsx";

/** @typedef {import("./describe.js").Webhook} Webhook */

export const ADD = "/console/webhooks?view=add";

export function List() {
  const stale = useFollow(webhooks);
  const isEmpty = webhooks.isAtEnd.value && webhooks.rows.value.length === 0;
  return (
    <>
      <PageHead title="Webhooks" action={!isEmpty && <Button kind="main" href={ADD}>Add webhook</Button>}>
        Notify your server within seconds of what happens to your videos.
      </PageHead>
      <Tabs at="webhooks" />
      <Stale of={stale} />
      <Endless feed={webhooks} one="webhook" empty={<NoWebhook />}>
        {(row) => <li key={row.webhook_uuid}><Row webhook={row} /></li>}
      </Endless>
    </>
  );
}

/** @param {{ webhook: Webhook }} props */
function Row({ webhook }) {
  const { word, tone } = describeWebhook(webhook);
  return (
    <a class="cells webhook-cells" href={`/console/webhooks/${webhook.webhook_uuid}`}>
      <span class="name"><span class="cut mono" dir="ltr">{webhook.url.replace(/^https:\/\//, "")}</span></span>
      <span class="types cut note">{describeTypes(webhook.event_types)}</span>
      <Mark tone={tone}>{word}</Mark>
      <span class="when note"><LastResult webhook={webhook} /></span>
    </a>
  );
}

/** What came of the last attempts. @param {{ webhook: Webhook }} props */
export function LastResult({ webhook: { last_delivered_at_unix: last, failures } }) {
  if (failures) {
    return <>{counted(failures, "failed attempt")}{last !== null && <>, last delivered <Time unix={last} /></>}</>;
  }
  return last === null ? <>Nothing sent yet</> : <>Delivered <Time unix={last} /></>;
}

function NoWebhook() {
  const at = settings.value;
  return (
    <>
      <Empty title="No webhooks yet" action={<Button kind="main" href={ADD}>Add webhook</Button>}>
        A webhook sends an event to your server when a video is published or rejected, when a user uploads with a
        one-time token, or when you reach the daily limit. Events are signed, so you can verify who sent them. Your
        programs don't need to poll.
      </Empty>
      {at && (
        <section class="section" aria-labelledby="try-it">
          <h2 id="try-it">Try it on your machine first</h2>
          <p class="read">
            These commands forward your channel's events to a program on your machine, without a public URL. Run them,
            then upload a video.
          </p>
          <CodeTabs label="Commands" tabs={localCommands(at.upload_url)} />
          <p class="note">
            <a href={`${at.site_url}/docs/publish/webhooks`}>Webhooks</a> explains what is sent, and has receivers in Python
            and JavaScript. <a href={`${at.site_url}/docs/publish/cli`}>The CLI</a> explains how to install{" "}
            <code>clipgate</code>.
          </p>
        </section>
      )}
    </>
  );
}
