// The minimum that an upload Worker must do: stream the body into R2, part by part, without looking at it. Its memory
// growth is due to the runtime and the local R2, which run in the same process.
const PART_BYTES = 5 * 1024 * 1024;
const READ_BYTES = 64 * 1024;

// Copies the next `size` bytes of the body into a part.
async function streamPart(upload, number, size, body) {
  const { readable, writable } = new FixedLengthStream(size);
  const stored = upload.uploadPart(number, readable);
  const writer = writable.getWriter();
  for (let left = size; left > 0; ) {
    const { done, value } = await body.reader.read(new Uint8Array(body.buffer, 0, Math.min(READ_BYTES, left)));
    if (done) throw new Error("the body is shorter than its Content-Length");
    await writer.write(value);
    left -= value.byteLength;
    body.buffer = value.buffer;
  }
  await writer.close();
  return stored;
}

export default {
  async fetch(request, env) {
    if (request.method !== "POST") return new Response("floor");
    const upload = await env.MEDIA.createMultipartUpload(crypto.randomUUID());
    const body = { reader: request.body.getReader({ mode: "byob" }), buffer: new ArrayBuffer(READ_BYTES) };
    const parts = [];
    for (let left = Number(request.headers.get("content-length")); left > 0; left -= PART_BYTES) {
      parts.push(await streamPart(upload, parts.length + 1, Math.min(PART_BYTES, left), body));
    }
    await upload.complete(parts);
    return Response.json({ success: true });
  },
};
