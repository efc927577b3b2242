import assert from "node:assert/strict";
import { test } from "node:test";
import { uploadCommands } from "./snippets.js";

const CREATED = { token: "cgd_abc", tus_endpoint: "https://up.example/tus", upload_url: "https://up.example/form" };

test("the page's program is complete: it sends the token to the endpoint", () => {
  const [{ name, text }] = uploadCommands(CREATED, { origin: "https://app.example", user_may_set: ["caption"] });
  assert.equal(name, "JavaScript");
  const given = [];
  const Upload = class { constructor(file, options) { given.push(file, options); } start() { given.push("started"); } };
  const page = { querySelector: () => ({ files: ["clip"] }) };
  new Function("Upload", "document", text.replaceAll(/^import .*$/gm, ""))(Upload, page);
  const [file, { endpoint, headers, metadata }, started] = given;
  assert.deepEqual([file, endpoint, headers.Authorization, metadata, started],
    ["clip", CREATED.tus_endpoint, "Bearer cgd_abc", { caption: "My first video #fun" }, "started"]);
});

test("no field is sent that the user may not set, and no page is shown a token that it cannot use", () => {
  const [{ text }] = uploadCommands(CREATED, { origin: "https://app.example", user_may_set: [] });
  assert.ok(text.includes("metadata: {},"));
  assert.deepEqual(uploadCommands(CREATED, { user_may_set: [] }).map(({ name }) => name), ["curl"]);
});
