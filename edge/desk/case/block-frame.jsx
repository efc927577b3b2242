// Blocks the frame that the player shows: the service knows the hashes of some frames of every video.
import { useSignal } from "@preact/signals";
import { Button } from "../../pages/kit/button.jsx";
import { lazy } from "../../pages/kit/lazy.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { failureFrom, get } from "../api.js";
import { useCommands } from "../keys/commands.js";

const BlockDialog = lazy(() => import("./block-dialog.jsx"));

/**
 * @param {{ uuid: string, pause: () => number, onShow: (seconds: number) => void }} props
 *   `pause` stops the video and returns its time in seconds. `onShow` moves the video to the frame that is meant.
 */
export function BlockFrame({ uuid, pause, onShow }) {
  const busy = useSignal(false);
  const found = useSignal(/** @type {{ frame: import("../types").Frame | null } | null} */ (null));
  const ask = async () => {
    if (busy.peek()) return;
    busy.value = true;
    const at_ms = Math.round(pause() * 1000);
    try {
      BlockDialog.preload().catch(() => {});
      const { frame } = await get("/moderation/frame", { content_uuid: uuid, at_ms });
      if (frame) onShow(frame.at_ms / 1000);
      found.value = { frame };
    } catch (error) {
      const { what, next } = failureFrom(error);
      toast([what, next].filter(Boolean).join(" "));
    }
    busy.value = false;
  };
  useCommands({}, [{ label: "Block this frame", run: ask }]);
  return (
    <>
      <Button busy={busy.value} onClick={ask}>Block this frame</Button>
      {found.value && <BlockDialog frame={found.value.frame} onClose={() => (found.value = null)} />}
    </>
  );
}
