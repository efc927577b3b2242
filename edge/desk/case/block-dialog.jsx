import { Button } from "../../pages/kit/button.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { duration } from "../../pages/kit/format.js";
import { navigate } from "../../pages/kit/router.js";
import { toast } from "../../pages/kit/toast.jsx";
import { post } from "../api.js";
import { BlockEffect } from "../blocklist/effect.jsx";
import { ReasonDialog } from "../reason-dialog.jsx";

/** @typedef {import("../types").Frame} Frame */

/** @param {string} hash */
const placeOf = (hash) => `/desk/blocklist?hash=${hash}`;

/** Asks why a frame is to be blocked. @param {{ frame: Frame | null, onClose: () => void }} props */
export default function BlockDialog({ frame, onClose }) {
  if (!frame) return <NoFrame onClose={onClose} />;
  if (frame.is_blocked) return <AlreadyBlocked frame={frame} onClose={onClose} />;
  const block = async (/** @type {string} */ reason) => {
    await post("/moderation/hashes", { hash: frame.hash, reason });
    const action = { label: "Open blocklist", run: () => navigate(placeOf(frame.hash)) };
    toast("The frame is blocked", { action });
  };
  return (
    <ReasonDialog title="Block this frame?" verb="Block frame" onClose={onClose} onSend={block}>
      <FrameDetails frame={frame} />
      <BlockEffect />
    </ReasonDialog>
  );
}

/** The service has the hashes of some frames, not of all. @param {{ frame: Frame }} props */
function FrameDetails({ frame: { at_ms, hash } }) {
  return (
    <dl class="settings">
      <div><dt>Frame</dt><dd>
        {at_ms > 0
          ? <>At {duration(at_ms)}, the nearest frame with a stored hash. The player shows it now.</>
          : <>The beginning of the video, or its thumbnail: the hash does not say which.</>}
      </dd></div>
      <div><dt>Hash</dt><dd><code class="whole">{hash}</code></dd></div>
    </dl>
  );
}

/** @param {{ frame: Frame, onClose: () => void }} props */
function AlreadyBlocked({ frame, onClose }) {
  return (
    <Dialog title="This frame is already blocked" onClose={onClose} onSubmit={onClose} foot={<>
      <Button href={placeOf(frame.hash)}>Show on the blocklist</Button>
      <Button kind="main" type="submit">Close</Button>
    </>}>
      <FrameDetails frame={frame} />
    </Dialog>
  );
}

/** @param {{ onClose: () => void }} props */
function NoFrame({ onClose }) {
  return (
    <Dialog title="No frame to block" onClose={onClose} onSubmit={onClose}
      foot={<Button kind="main" type="submit">Close</Button>}>
      <p>
        This video has no stored hashes. Its pictures have too little detail to be told apart, or its files are no
        longer stored.
      </p>
    </Dialog>
  );
}
