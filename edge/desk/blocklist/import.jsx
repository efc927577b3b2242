// Adds the hashes of a file. The whole file is read before anything is sent.
import { useSignal } from "@preact/signals";
import { useAction } from "../../pages/kit/action.js";
import { Button } from "../../pages/kit/button.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { focusError } from "../../pages/kit/field.jsx";
import { FileButton } from "../../pages/kit/file-button.jsx";
import { counted, number } from "../../pages/kit/format.js";
import { Progress } from "../../pages/kit/progress.jsx";
import { Prose } from "../../pages/kit/prose.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { post } from "../api.js";
import { NO_REASON, ReasonField } from "../reason-dialog.jsx";
import { readList, Unreadable } from "./read-list.js";

/** The hashes of one request, as many as the service accepts. */
const PART_LENGTH = 1000;

const hashes = (/** @type {number} */ count) => counted(count, "hash", "hashes");

/** @param {{ onClose: () => void, onDone: () => void }} props */
export function ImportDialog({ onClose, onDone }) {
  const list = useSignal(/** @type {(import("./read-list.js").List & { name: string }) | null} */ (null));
  const wrong = useSignal(/** @type {string | null} */ (null));
  const reason = useSignal("");
  const tried = useSignal(false);
  const sent = useSignal(0);
  const added = useSignal(0);
  const all = list.value?.hashes ?? [];
  const action = useAction(async () => {
    while (sent.peek() < all.length) {
      const part = all.slice(sent.peek(), sent.peek() + PART_LENGTH);
      const body = await post("/moderation/hashes/import", { hashes: part, reason: reason.peek().trim() });
      added.value += body.added;
      sent.value += part.length;
    }
    toast(`${hashes(all.length)} imported, ${number(added.peek())} of them new`);
    onClose();
    onDone();
  });
  const choose = async (/** @type {File} */ file) => {
    [list.value, wrong.value, sent.value, added.value] = [null, null, 0, 0];
    try {
      list.value = { name: file.name, ...readList(file.name, await textOf(file)) };
    } catch (error) {
      wrong.value = problemOf(error);
    }
  };
  const submit = () => {
    tried.value = true;
    if (!reason.value.trim()) focusError();
    else if (all.length) action.start();
  };
  // What was sent stays on the list, whether the rest is sent or not.
  const leave = () => {
    onClose();
    if (sent.peek() > 0) onDone();
  };
  return (
    <Dialog title="Import hashes" onClose={leave} locked={action.busy} onSubmit={submit} foot={<>
      <Button onClick={leave} disabled={action.busy}>Cancel</Button>
      <Button kind="main" type="submit" busy={action.busy} disabled={all.length === 0}>
        {sent.value > 0 ? "Import the rest" : "Import"}
      </Button>
    </>}>
      <p>
        CSV with a column <code>hash</code>, <code>pdq</code> or <code>pdq_hash</code>, CSV with only hashes, or JSON
        lines. You can import a file again: hashes already on the list stay as they are.
      </p>
      <div class="row">
        <FileButton accept=".csv,.jsonl,.ndjson" busy={action.busy} onChoose={choose}>Choose file</FileButton>
        {list.value && <Chosen list={list.value} />}
      </div>
      {wrong.value && (
        <div class="failure" role="alert"><p><Prose text={wrong.value} /> Nothing was sent.</p></div>
      )}
      <ReasonField value={reason.value} error={tried.value && !reason.value.trim() ? NO_REASON : null}
        onInput={(text) => (reason.value = text)} />
      {(action.busy || sent.value > 0) && <Sending sent={sent.value} of={all.length} />}
      {action.failure && <FailureNote failure={action.failure} />}
    </Dialog>
  );
}

/** @param {{ list: import("./read-list.js").List & { name: string } }} props */
function Chosen({ list }) {
  const { name, skipped } = list;
  return (
    <p class="whole" role="status">
      <bdi>{name}</bdi>: {list.hashes.length ? hashes(list.hashes.length) : "no hashes"}
      {skipped > 0 && <span class="dim">, {number(skipped)} skipped (another hash type or too little detail)</span>}
    </p>
  );
}

/** @param {{ sent: number, of: number }} props */
function Sending({ sent, of }) {
  const text = `${number(sent)} of ${hashes(of)} sent`;
  return (
    <div>
      <Progress value={sent} most={of} label="Import" text={text} />
      <p class="note number">{text}</p>
    </div>
  );
}

/** @param {File} file */
async function textOf(file) {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Unreadable("The file is not UTF-8 text.");
  }
}

/** @param {unknown} error */
function problemOf(error) {
  if (error instanceof Unreadable) return error.message;
  // The file was moved, or changed while it was read.
  if (error instanceof DOMException) return "The file could not be read. Choose it again.";
  throw error;
}
