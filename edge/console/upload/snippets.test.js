import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { commandsFor, shell } from "./snippets.js";

const LARGEST = 95_000_000;
const texts = (file, fields = {}) =>
  Object.fromEntries(commandsFor("https://up.example", file, fields, LARGEST).map(({ name, text }) => [name, text]));
/** The words that a shell makes of a command. */
function words(command) {
  const script = [
    `run() { node -e 'console.log(JSON.stringify(process.argv.slice(1)))' -- "$@"; }`,
    "uuidgen() { echo UUID; }",
    "API_KEY=KEY",
    `run ${command}`,
  ];
  return JSON.parse(execFileSync("bash", ["-c", script.join("\n")], { encoding: "utf8" }));
}

test("each command is as short as it can be", () => {
  assert.equal(texts({ name: "clip.mp4", size: 10 }).clipgate, "clipgate upload --wait clip.mp4");
  assert.equal(texts({ name: "clip.mp4", size: 10 }, { caption: "Hi there" }).curl,
    `curl -sS https://up.example/api/php/developer/upload_video \\
  -H "Authorization: Bearer $API_KEY" \\
  -F upload_token="$(uuidgen)" \\
  --form-string 'caption=Hi there' \\
  -F file=@clip.mp4`);
});

test("labels are fields for curl and JavaScript, and options without a value for clipgate", () => {
  const labels = { visibility: "unlisted", is_sensitive: "true", is_ai_generated: "true" };
  const { curl, clipgate, JavaScript } = texts({ name: "clip.mp4", size: 10 }, labels);
  assert.deepEqual(words(clipgate),
    ["clipgate", "upload", "--wait", "--visibility=unlisted", "--sensitive", "--ai-generated", "clip.mp4"]);
  for (const [field, value] of Object.entries(labels)) assert.ok(words(curl).includes(`${field}=${value}`), field);
  assert.ok(JavaScript.includes('is_sensitive: "true"'));
});

test("no text can break out of a command", () => {
  const caption = "It's \"fun\" $(rm) `x` \\ \n --wait; @file";
  const name = "-a 'b\" $HOME;c,d.mp4";
  const curl = words(texts({ name, size: 10 }, { caption }).curl);
  assert.ok(curl.includes(`caption=${caption}`));
  assert.equal(curl.at(-1), 'file=@"-a \'b\\" $HOME;c,d.mp4"');
  assert.deepEqual(words(texts({ name, size: 10 }, { caption }).clipgate),
    ["clipgate", "upload", "--wait", `--caption=${caption}`, "--", name]);
});

test("the JavaScript parses whatever the texts are", () => {
  const { JavaScript } = texts({ name: 'a"b.mp4', size: 10 }, { caption: "`${x}`\u2028\"", super_category_id: "3" });
  const body = JavaScript.replaceAll(/^import .*$/gm, "");
  let given;
  const Upload = class { constructor(_, options) { given = options; } start() {} };
  new Function("Upload", "createReadStream", "process", body)(Upload, () => null, { env: { API_KEY: "KEY" } });
  assert.deepEqual(given.metadata, { caption: "`${x}`\u2028\"", super_category_id: "3" });
  assert.equal(given.headers.Authorization, "Bearer KEY");
});

test("curl is not offered for a file that one request cannot carry", () => {
  assert.match(texts({ name: "clip.mp4", size: LARGEST + 1 }).curl, /^# One request carries 95 MB/);
});

test("a plain word needs no quotes", () => {
  assert.deepEqual(["a.mp4", "a b", "it's", ""].map(shell), ["a.mp4", "'a b'", "'it'\\''s'", "''"]);
});
