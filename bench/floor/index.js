// The least that any Worker can do: the body, unread, into R2 in parts through two buffers. What it grows by is the runtime's
// and the local R2's, which live in the same process as the Worker.
export default {
  async fetch(request, env) {
    if (request.method !== "POST") return new Response("floor");
    const key = crypto.randomUUID();
    const upload = await env.MEDIA.createMultipartUpload(key);
    const reader = request.body.getReader({ mode: "byob" });
    const PART = 5 * 1024 * 1024;
    let buffers = [new Uint8Array(PART), new Uint8Array(PART)], which = 0, filled = 0, number = 1, sending = null;
    const parts = [];
    let view = new Uint8Array(128 * 1024);
    const send = async (bytes, n) => { parts.push(await upload.uploadPart(n, bytes)); };
    for (;;) {
      const { done, value } = await reader.read(view);
      if (done) break;
      let at = 0;
      while (at < value.length) {
        const take = Math.min(PART - filled, value.length - at);
        buffers[which].set(value.subarray(at, at + take), filled);
        filled += take; at += take;
        if (filled === PART) {
          if (sending) await sending;
          sending = send(buffers[which], number++);
          which = 1 - which; filled = 0;
        }
      }
      view = new Uint8Array(value.buffer);
    }
    if (sending) await sending;
    if (filled) await send(buffers[which].subarray(0, filled), number++);
    await upload.complete(parts);
    return Response.json({ success: true });
  },
};
