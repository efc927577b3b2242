// The test page of direct uploads: sends a file with a one-time token, and shows its progress, verdict and state.
import { Upload } from "tus-js-client";

const CHUNK_BYTES = 8 * 1024 * 1024;
const RETRY_MS = [0, 1000, 3000, 5000];

const form = document.querySelector("#try");
const [created, caption, file, cut, progress, outcome] = ["created", "caption", "file", "cut", "progress", "outcome"].map((id) =>
  document.getElementById(id),
);
const submit = form.querySelector("button[type=submit]");

function say(text) {
  outcome.textContent = text;
}

// Returns the token and its addresses from the response that was pasted.
function readCreated() {
  try {
    const { token, tus_endpoint, upload_url } = JSON.parse(created.value);
    return token && tus_endpoint && upload_url ? { token, tus_endpoint, upload_url } : undefined;
  } catch {
    return undefined;
  }
}

function explain(error) {
  const code = error.originalResponse?.getHeader("Clipgate-Error-Code");
  if (code) return `Rejected: ${code}. The page /docs/errors/${code} says what to do.`;
  return `The upload failed: ${error.message}. Is allowed_origin ${location.origin}?`;
}

// Shows the state of the video until it no longer changes.
async function follow({ token, upload_url }) {
  for (;;) {
    const response = await fetch(upload_url, { headers: { Authorization: `Bearer ${token}` } });
    const status = await response.json();
    if (!status.success) return say(`The state is not available: ${status.error_message_code}.`);
    const code = status.error_message_code ? ` (${status.error_message_code})` : "";
    say(`Accepted as ${status.content_uuid}. State: ${status.content_state}${code}.`);
    if (!status.check_after_seconds) return;
    await new Promise((resolve) => setTimeout(resolve, status.check_after_seconds * 1000));
  }
}

function begin(target) {
  const upload = new Upload(file.files[0], {
    endpoint: target.tus_endpoint,
    headers: { Authorization: `Bearer ${target.token}` },
    metadata: caption.value ? { caption: caption.value } : {},
    chunkSize: CHUNK_BYTES,
    retryDelays: RETRY_MS,
    removeFingerprintOnSuccess: true,
    onProgress(sent, total) {
      progress.value = sent / total;
      say(`${Math.round((100 * sent) / total)} % of ${(total / 1e6).toFixed(1)} MB`);
    },
    onError(error) {
      end();
      say(explain(error));
    },
    onSuccess() {
      end();
      follow(target).catch((error) => say(`The state is not available: ${error.message}.`));
    },
  });
  cut.onclick = async () => {
    await upload.abort();
    say("The connection is cut. Continuing in 2 seconds …");
    setTimeout(() => upload.start(), 2000);
  };
  submit.disabled = true;
  cut.disabled = false;
  upload.start();
}

function end() {
  submit.disabled = false;
  cut.disabled = true;
}

form.hidden = false;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const target = readCreated();
  if (target) begin(target);
  else say("The first field must be the whole response, with token, tus_endpoint and upload_url.");
});
