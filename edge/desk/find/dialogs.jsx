import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useAction } from "../../pages/kit/action.js";
import { Button } from "../../pages/kit/button.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { SelectField, TextField } from "../../pages/kit/field.jsx";
import { counted } from "../../pages/kit/format.js";
import { toast } from "../../pages/kit/toast.jsx";
import { post } from "../api.js";
import { policies, readPolicies } from "../decide/policies.js";
import { MAX_REASON } from "../reason-dialog.jsx";

const NO_POLICY = { value: "", label: "Choose a policy" };

/** @param {number} count The service counts up to 1,000. */
const howMany = (count) => (count >= 1000 ? "1,000 or more published videos" : counted(count, "published video"));

/**
 * Takes down everything that a channel shows, twenty videos at a time.
 * @param {{ id: number, published: number | null, onClose: () => void, onDone: () => void }} props
 */
export function TakeDownAll({ id, published, onClose, onDone }) {
  const form = useSignal({ reason: "", policy: "", typed: "" });
  const done = useSignal(0);
  const set = (/** @type {Partial<typeof form.value>} */ change) => (form.value = { ...form.value, ...change });
  useEffect(() => {
    if (policies.peek().length === 0) readPolicies().catch(() => {});
  }, []);
  const { reason, policy, typed } = form.value;
  const isReady = policy !== "" && typed.trim() === String(id);
  const action = useAction(async () => {
    const name = policies.peek().find(({ policy_code }) => policy_code === policy)?.name ?? policy;
    for (let hasMore = true; hasMore; ) {
      const order = { channel_id: id, reason: reason.trim() || name, policy_code: policy };
      const body = await post("/moderation/take_down_channel", order);
      done.value += body.taken_down;
      // A service that makes no progress would be asked for ever.
      hasMore = body.has_more && body.taken_down > 0;
    }
    toast(`${counted(done.value, "video")} of channel ${id} taken down`);
    onClose();
    onDone();
  });
  return (
    <Dialog title={`Take down all videos of channel ${id}?`} onClose={onClose} locked={action.busy}
      onSubmit={() => isReady && action.start()} foot={<>
        <Button onClick={onClose} disabled={action.busy}>Cancel</Button>
        <Button kind="danger" sure type="submit" disabled={!isReady} busy={action.busy}>Take down all</Button>
      </>}>
      <p>
        {published === null ? "Every published and scheduled video of the channel"
          : `Its ${howMany(published)} and all scheduled ones`}
        {" "}will be taken down, each with its own decision, and the pictures will be blocked. This cannot be
        undone here.
      </p>
      <SelectField label="Policy" value={policy} onInput={(value) => set({ policy: value })}
        options={[NO_POLICY, ...policies.value.map(({ policy_code, name }) => ({ value: policy_code, label: name }))]} />
      <TextField label="Note for colleagues" optional value={reason} input={{ maxLength: MAX_REASON }}
        onInput={(text) => set({ reason: text })} />
      <TextField label={`Type the channel's number, ${id}, to confirm`} value={typed} input={{ inputMode: "numeric" }}
        onInput={(text) => set({ typed: text })} />
      {done.value > 0 && <p role="status">{counted(done.value, "video")} taken down so far.</p>}
      {action.failure && <FailureNote failure={action.failure} />}
    </Dialog>
  );
}
