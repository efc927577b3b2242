// Runs through the life of a video with types that openapi-typescript generated from the document: creates a key,
// uploads, polls the status, lists, deletes the video and the key. Prints the content's UUID.
import { openAsBlob } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "clipgate-api";

type State = components["schemas"]["ContentState"];

function environment(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

function ensure(condition: boolean, fault: string): asserts condition {
  if (!condition) throw new Error(fault);
}

/** Returns the data of a success, or throws the code of a refusal. */
function unwrap<T>(answer: { data?: T; error?: { error_message_code: string | null } }): T {
  if (answer.data === undefined) throw new Error(`refused: ${answer.error?.error_message_code}`);
  return answer.data;
}

const owner = createClient<paths>({
  baseUrl: environment("BASE_URL"),
  headers: { cookie: environment("SESSION_COOKIE") },
});
const created = unwrap(await owner.POST("/api/php/user_settings/create_api_key", { body: {} }));
ensure(created.api_key !== null && created.key?.uses_count === 0, "the answer has no new key");

const program = createClient<paths>({
  baseUrl: environment("UPLOAD_URL"),
  headers: { authorization: `Bearer ${created.api_key}` },
});
const fields = { upload_token: crypto.randomUUID(), caption: "From TypeScript" };
const clip = await openAsBlob(environment("FILE"));
const upload = () =>
  program.POST("/api/php/developer/upload_video", {
    // Generated types call binary data a string. The serializer sends the file itself.
    body: { ...fields, file: "" },
    bodySerializer: () => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set("file", clip, "clip.mp4");
      return form;
    },
  });
const { content_uuid } = unwrap(await upload());
const replay = await upload();
ensure(unwrap(replay).content_uuid === content_uuid, "a retry made a second video");
ensure(replay.response.headers.get("Idempotency-Replayed") === "true", "the retry was no replay");

const query = { content_uuid };
const status = unwrap(await program.GET("/api/php/developer/upload_status", { params: { query } }));
const state: State = status.state;
ensure(state === "processing" && status.caption === fields.caption, `the status is ${JSON.stringify(status)}`);
const list = unwrap(await program.GET("/api/php/developer/uploads", { params: { query: { limit: 1 } } }));
ensure(list.uploads[0]?.content_uuid === content_uuid, "the list does not begin with the video");
const limits = unwrap(await program.GET("/api/php/developer/upload_limits"));
ensure(limits.remaining === limits.limit_amount - 1, "the upload used no slot");

const deleted = unwrap(await program.POST("/api/php/developer/delete_content", { body: { content_uuid } }));
ensure(deleted.state === "deleted", `the video is ${deleted.state}`);
unwrap(await owner.POST("/api/php/user_settings/delete_api_key", { body: {} }));
const refused = await program.GET("/api/php/developer/upload_status", { params: { query } });
ensure(refused.error?.error_message_code === "api_key_invalid", "a deleted key is still valid");
console.log(content_uuid);
