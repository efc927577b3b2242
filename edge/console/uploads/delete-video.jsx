import { useSignal } from "@preact/signals";
import { failureFrom, post } from "../api.js";
import { Button } from "../../pages/kit/button.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { toast } from "../../pages/kit/toast.jsx";
import { navigate } from "../../pages/kit/router.js";
import { uploads } from "./uploads.js";
import { nameOf } from "./video-rules.js";

/** @typedef {import("./video-store.js").VideoStore} VideoStore */
/** @typedef {import("./video-rules.js").Video} Video */

/** @param {{ store: VideoStore, video: Video, back: string }} props */
export function DeleteVideo({ store, video, back }) {
  const isAsking = useSignal(false);
  const isBusy = useSignal(false);
  const failure = useSignal(/** @type {import("../../pages/kit/failures.js").Failure | null} */ (null));
  const name = nameOf(video);
  const remove = async () => {
    isBusy.value = true;
    try {
      await post("/developer/delete_content", { content_uuid: video.content_uuid });
      store.undo();
      uploads.remove(video.content_uuid);
      toast(`Deleted “${name}”`);
      navigate(back);
    } catch (error) {
      failure.value = failureFrom(error);
      isBusy.value = false;
    }
  };
  return (
    <div class="part">
      <div><Button kind="danger" onClick={() => (isAsking.value = true)}>Delete video</Button></div>
      {isAsking.value && (
        <Dialog title={`Delete “${name}”?`} onClose={() => (isAsking.value = false)} onSubmit={remove} foot={<>
          <Button onClick={() => (isAsking.value = false)}>Cancel</Button>
          <Button kind="danger" sure type="submit" busy={isBusy.value}>Delete video</Button>
        </>}>
          <p>
            {video.urls ? "Its page and files are deleted immediately." : "Processing stops, and its files are deleted."}
            {" "}This cannot be undone.
          </p>
          {failure.value && <FailureNote failure={failure.value} />}
        </Dialog>
      )}
    </div>
  );
}
