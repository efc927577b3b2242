// Runs beside the main Worker, in its wrangler: consumes the local queue and hands each message to the bridge. What the
// bridge does not take stays in the local queue and is tried again.

export default {
  async queue(batch, env) {
    const answer = await fetch(env.BRIDGE, {
      method: "POST",
      headers: { Authorization: `Bearer ${env.QUEUE_TOKEN}` },
      body: JSON.stringify(batch.messages.map(packed)),
    });
    if (!answer.ok) throw new Error(`the queue bridge answered ${answer.status}`);
  },
};

// The content type is not told, but the value tells it.
function packed({ id, body }) {
  if (typeof body === "string") return { id, body, contentType: "text" };
  if (body instanceof ArrayBuffer) return { id, body: new Uint8Array(body).toBase64(), contentType: "bytes" };
  return { id, body: new TextEncoder().encode(JSON.stringify(body)).toBase64(), contentType: "json" };
}
