// An upload on its way: how far it is, and how it ended if it did not arrive.
import { useEffect } from "preact/hooks";
import { announce } from "../../pages/kit/announce.js";
import { Button } from "../../pages/kit/button.jsx";
import { FailureNote } from "../../pages/kit/failure.jsx";
import { bytes, wait } from "../../pages/kit/format.js";
import { Progress } from "../../pages/kit/progress.jsx";
import { chosen, clearDraft, drop, form } from "./draft.js";
import { fieldsOf } from "./rules.js";
import { begin, cancel, forget, pause, resume, secondsLeft } from "./transfer.js";

/** @type {Record<string, string>} */
const TITLES = {
  starting: "Starting", sending: "Uploading", reconnecting: "Reconnecting", checking: "Checking the file",
  paused: "Paused", interrupted: "Connection lost", refused: "Not uploaded", sent: "Uploaded",
};

/** @param {{ at: import("./transfer.js").Transfer }} props */
export function Sending({ at }) {
  const percent = at.total ? Math.floor((100 * at.sent) / at.total) : 0;
  const title = TITLES[at.phase];
  useEffect(() => announce(`${title}: ${at.name}`), [at.phase]);
  // Each percent would be too much to listen to.
  const quarter = at.phase === "sending" ? Math.floor(percent / 25) : 0;
  useEffect(() => {
    if (quarter > 0) announce(`${25 * quarter}% uploaded`);
  }, [quarter]);
  if (at.phase === "refused" && at.failure) return <Refused failure={at.failure} percent={percent} />;
  const isMoving = at.phase === "sending";
  return (
    <section class="sending" aria-label="Upload">
      <div class="sending-head"><h2>{title}</h2><span class="number">{percent}%</span></div>
      <Progress value={at.sent} most={at.total} label="Uploaded" text={`${percent}%`}
        tone={at.phase === "interrupted" ? "warn" : undefined} />
      <p class="note number">{figures(at)}</p>
      {at.phase === "interrupted" && (
        <p class="words">
          {at.failure?.what} The upload resumes when you are back online, or when you press Continue.
        </p>
      )}
      <div class="row">
        {isMoving && <Button onClick={pause}>Pause</Button>}
        {at.phase === "paused" && <Button kind="main" onClick={resume}>Resume</Button>}
        {at.phase === "interrupted" && <Button kind="main" onClick={resume}>Continue</Button>}
        {at.phase !== "checking" && <Button kind="quiet" onClick={cancel}>Cancel upload</Button>}
      </div>
      <p class="note">
        You can use the other pages of the console. If you reload or close this tab, the upload stops. To resume it,
        choose the same file within 24 hours.
      </p>
    </section>
  );
}

/** @param {import("./transfer.js").Transfer} at */
function figures(at) {
  const left = secondsLeft(at);
  const parts = [`${bytes(at.sent)} of ${bytes(at.total)}`];
  if (at.phase === "sending" && at.rate) parts.push(`${bytes(at.rate)}/s`);
  if (at.phase === "sending" && left !== null) parts.push(`${wait(left)} left`);
  return parts.join(" · ");
}

/** @param {{ failure: import("../../pages/kit/failures.js").Failure, percent: number }} props */
function Refused({ failure, percent }) {
  const isAboutFile = failure.kind === "request" && (!failure.field || failure.field === "file");
  const again = () => (chosen.value ? begin(chosen.value.file, fieldsOf(form.value)) : forget());
  return (
    <section class="sending" aria-label="Upload">
      <h2>{failure.kind === "request" ? "The service rejected this video" : "The video was not uploaded"}</h2>
      {percent > 0 && percent < 100 && (
        <p class="words">It was rejected after {percent}% had been sent. It does not count toward your daily limit.</p>
      )}
      <FailureNote failure={failure} />
      <div class="row">
        {isAboutFile
          ? <Button kind="main" onClick={() => { forget(); drop(); }}>Choose another video</Button>
          : failure.kind === "request"
            ? <Button kind="main" onClick={forget}>Edit the fields</Button>
            : <Button kind="main" onClick={again}>Try again</Button>}
        {!isAboutFile && <Button kind="quiet" onClick={() => { forget(); clearDraft(); }}>Start over</Button>}
      </div>
    </section>
  );
}
