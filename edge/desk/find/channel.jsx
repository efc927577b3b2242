// A channel: what it has published, and what can be done about all of it.
import { useSignal } from "@preact/signals";
import { Button } from "../../pages/kit/button.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { Mark } from "../../pages/kit/mark.jsx";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { get, may, post } from "../api.js";
import { entriesAbout } from "../audit/filters.js";
import { usePages } from "../pages.js";
import { PagesEnd } from "../pages-end.jsx";
import { ReasonDialog } from "../reason-dialog.jsx";
import { atMost } from "../text.js";
import { TakeDownAll } from "./dialogs.jsx";
import { Results } from "./results.jsx";

/** @typedef {import("../types").Channel} ChannelData */

/** @param {{ id: number }} props */
export default function Channel({ id }) {
  const channel = useSignal(/** @type {ChannelData | null} */ (null));
  const dialog = useSignal(/** @type {"suspend" | "lift_suspension" | "take_down" | null} */ (null));
  const pages = usePages(async (cursor) => {
    const { contents, next_cursor } = await get("/moderation/contents", { channel: id, cursor });
    // Only a case tells the channel's history.
    if (!cursor && contents[0]) readChannel(contents[0].content_uuid);
    return { rows: contents, next: next_cursor };
  }, String(id));
  const readChannel = (/** @type {string} */ content_uuid) =>
    get("/moderation/case", { content_uuid }).then((body) => (channel.value = body.channel), () => {});
  const close = () => (dialog.value = null);
  const isSuspended = channel.value?.is_suspended;
  const change = async (/** @type {"suspend" | "lift_suspension"} */ what, /** @type {string} */ reason) => {
    const { is_suspended } = await post(`/moderation/${what}`, { channel_id: id, reason });
    if (channel.value) channel.value = { ...channel.value, is_suspended };
    toast(is_suspended ? `Channel ${id} is suspended` : `The suspension of channel ${id} is lifted`);
  };
  const name = channel.value?.name?.trim();
  return (
    <>
      <PageHead title={`Channel ${id}`} action={may("decide") && (
        <span class="row">
          {isSuspended !== true && <Button onClick={() => (dialog.value = "suspend")}>Suspend</Button>}
          {isSuspended !== false && <Button onClick={() => (dialog.value = "lift_suspension")}>Lift suspension</Button>}
          <Button kind="danger" onClick={() => (dialog.value = "take_down")}>Take down all</Button>
        </span>
      )}>
        {name ? <bdi>{name}</bdi> : "Videos in every state, newest first."}
      </PageHead>
      {channel.value && <History channel={channel.value} />}
      <p class="note found-by"><a href={entriesAbout(`channel:${id}`)}>Audit log of this channel</a></p>
      <Results contents={pages.rows} isOfOneChannel />
      <PagesEnd pages={pages} one="video" empty={
        <Empty title="No videos">This channel has no videos, or no channel has this number.</Empty>
      } />
      {dialog.value === "suspend" && (
        <ReasonDialog title={`Suspend channel ${id}?`} verb="Suspend channel" onClose={close}
          onSend={(reason) => change("suspend", reason)}>
          <p>
            Its uploads are rejected, and its published videos are hidden. Nothing is deleted; lifting the suspension
            restores everything.
          </p>
        </ReasonDialog>
      )}
      {dialog.value === "lift_suspension" && (
        <ReasonDialog title={`Lift the suspension of channel ${id}?`} verb="Lift suspension" onClose={close}
          onSend={(reason) => change("lift_suspension", reason)}>
          <p>Its published videos become visible again immediately, and it can upload again.</p>
        </ReasonDialog>
      )}
      {dialog.value === "take_down" && (
        <TakeDownAll id={id} published={channel.value?.published ?? null} onClose={close} onDone={pages.reload} />
      )}
    </>
  );
}

/** @param {{ channel: ChannelData }} props */
function History({ channel }) {
  return (
    <p class="row channel-facts">
      {channel.is_suspended && <Mark tone="bad">Suspended</Mark>}
      <span>{atMost(channel.published)} published</span>
      <span>{atMost(channel.rejected)} rejected</span>
      <span>{atMost(channel.taken_down)} taken down</span>
      <span>{atMost(channel.processing)} processing</span>
      <span class="dim">Created <Time unix={channel.created_at_unix} /></span>
    </p>
  );
}
