// The usual Worker: the runtime parses the form, buffering the whole body, and then the file is stored.
export default {
  async fetch(request, env) {
    if (request.method !== "POST") return new Response("baseline");
    const form = await request.formData();
    const file = form.get("file");
    await env.MEDIA.put(crypto.randomUUID(), file.stream());
    return Response.json({ success: true, size: file.size });
  },
};
