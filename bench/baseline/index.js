// What most upload Workers do: let the runtime parse the form, then store the file. It buffers the whole body.
export default {
  async fetch(request, env) {
    if (request.method !== "POST") return new Response("baseline");
    const form = await request.formData();
    const file = form.get("file");
    await env.MEDIA.put(crypto.randomUUID(), file.stream());
    return Response.json({ success: true, size: file.size });
  },
};
