import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { RECEIVERS } from "./snippets.js";

test("the receivers are those of the documentation, which the service's tests run", () => {
  const docs = new URL("../../../docs/", import.meta.url);
  const page = readdirSync(docs, { recursive: true }).find((name) => basename(name) === "webhooks.md");
  const document = readFileSync(new URL(page, docs), "utf8");
  for (const { name, text } of RECEIVERS) {
    const [, ...program] = text.split("\n");
    assert.ok(document.includes(`\n${program.join("\n")}\n\`\`\``), name);
  }
});
