// Consumes the local queues and sends each message to the queue bridge. Runs in the same wrangler as the main Worker.
// If the bridge rejects a batch, the messages stay in their local queue and are retried.

export default {
  async queue(batch, env) {
    const response = await fetch(`${env.BRIDGE}?queue=${env.QUEUE_IDS[batch.queue]}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${env.QUEUE_TOKEN}` },
      body: JSON.stringify(batch.messages.map(encode)),
    });
    if (!response.ok) throw new Error(`the queue bridge responded with status ${response.status}`);
  },
};

// The local queue does not pass on the content type, but it follows from the type of the body.
function encode({ id, body }) {
  if (typeof body === "string") return { id, body, contentType: "text" };
  if (body instanceof ArrayBuffer) return { id, body: new Uint8Array(body).toBase64(), contentType: "bytes" };
  return { id, body: new TextEncoder().encode(JSON.stringify(body)).toBase64(), contentType: "json" };
}
