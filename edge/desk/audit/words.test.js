import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ACTIONS, describeActor, describeSubject, wordOf } from "./words.js";

const UUID = "5e0d8dda-2b5a-4a3c-9bbb-1f4d24f3b0d7";
const ROOT = new URL("../../../", import.meta.url).pathname;

/** The places of the source that name an action. */
const NAMED = [
  /INTO trail \(actor, action, subject, detail\)\s+(?:SELECT|VALUES \()\s*(?:DISTINCT )?[^,]+, '([a-z_]+)'/g,
  /\.record\(by, "([a-z_]+)"/g,
  /action: "([a-z_]+)"/g,
  /action: if [^}]+\{ "([a-z_]+)" \} else \{ "[a-z_]+" \}/g,
  /action: if [^}]+\{ "[a-z_]+" \} else \{ "([a-z_]+)" \}/g,
];

function actionsOfTheSource() {
  const files = [...globSync("edge/src/**/*.rs", { cwd: ROOT }), ...globSync("edge/migrations/*.sql", { cwd: ROOT })];
  const texts = files.filter((file) => !/\/tests?\b/.test(file)).map((file) => readFileSync(ROOT + file, "utf8"));
  const named = texts.flatMap((text) => NAMED.flatMap((form) => [...text.matchAll(form)].map((match) => match[1])));
  const decisions = readFileSync(`${ROOT}crates/contract/src/api/moderation.rs`, "utf8");
  const names = /impl DecisionAction \{[\s\S]*?\n\}/.exec(decisions)?.[0] ?? "";
  return new Set([...named, ...[...names.matchAll(/=> "([a-z_]+)"/g)].map((match) => match[1])]);
}

test("every action that the service records has a word, and no other one", () => {
  assert.deepEqual(Object.keys(ACTIONS).sort(), [...actionsOfTheSource()].sort());
});

test("an unknown action is shown by its own name", () => {
  assert.equal(wordOf("labels_set"), "labels set");
  assert.equal(wordOf("constructor"), "constructor");
});

test("a subject links to its place at the desk", () => {
  assert.deepEqual(describeSubject(`content:${UUID}`), { name: "Video", of: UUID, href: `/desk/video/${UUID}` });
  assert.deepEqual(describeSubject("channel:7"), { name: "Channel", of: "7", href: "/desk/channel/7" });
  assert.equal(describeSubject(`hash:${"0f".repeat(32)}`).href, `/desk/blocklist?hash=${"0f".repeat(32)}`);
});

test("what has no place at the desk, or is not what it says, has no link", () => {
  assert.deepEqual(describeSubject("token:3"), { name: "Token", of: "3" });
  assert.deepEqual(describeSubject("origin_key:3"), { name: "Origin key", of: "3" });
  assert.deepEqual(describeSubject("origin:rack:7"), { name: "Origin", of: "rack:7" });
  assert.deepEqual(describeSubject("policies"), { name: "Policies" });
  assert.deepEqual(describeSubject("content:../find"), { name: "Content", of: "../find" });
  assert.deepEqual(describeSubject("channel:1/2"), { name: "Channel", of: "1/2" });
});

test("owners are told from moderators", () => {
  assert.equal(describeActor("account:7"), "Owner, account 7");
  assert.equal(describeActor("key:cgk_0c4R…Z96C"), "Owner, key cgk_0c4R…Z96C");
  assert.equal(describeActor("Ada"), "Ada");
});
