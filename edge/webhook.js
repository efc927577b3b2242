// Sends requests to webhooks.

// The time limit for reading a response body. Only the status decides whether a delivery succeeded.
const READ_MS = 2000;

// Sends a POST, and returns a `WebhookAnswer` as JSON. Follows no redirects. The receiver is not trusted, so only the
// beginning of the response body is read, and only for a short time.
export async function post(url, headers, body, timeoutMs, atMost) {
  const started = Date.now();
  const latency = () => ({ latency_ms: Date.now() - started });
  let answer;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    answer = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
  } catch (error) {
    const failure = error.name === "TimeoutError" ? "timeout" : "unreachable";
    return JSON.stringify({ failure, ...latency() });
  }
  const retryAfter = secondsOf(answer.headers.get("retry-after"));
  const found = { status: answer.status, retry_after_seconds: retryAfter, ...latency() };
  return JSON.stringify({ ...found, body_start: await readStart(answer.body, atMost) });
}

// Retry-After is a number of seconds or a date.
function secondsOf(text) {
  if (text === null) return null;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return seconds > 0 ? Math.min(seconds, 1e9) : null;
}

async function readStart(stream, atMost) {
  if (stream === null) return "";
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let timer;
  const end = new Promise((resolve) => (timer = setTimeout(resolve, READ_MS, { done: true })));
  let text = "";
  let left = atMost;
  try {
    while (left > 0) {
      const { done, value } = await Promise.race([reader.read(), end]);
      if (done) break;
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.length;
    }
  } catch {
    // The part of the body that arrived before the error is still returned.
  }
  clearTimeout(timer);
  // Close the connection without waiting.
  reader.cancel().catch(() => {});
  return text;
}
