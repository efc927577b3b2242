import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { RECEIVERS } from "./snippets.js";

test("the receivers are those of the documentation, which the service's tests run", () => {
  const document = readFileSync(new URL("../../../docs/webhooks.md", import.meta.url), "utf8");
  for (const { name, text } of RECEIVERS) {
    const [, ...program] = text.split("\n");
    assert.ok(document.includes(`\n${program.join("\n")}\n\`\`\``), name);
  }
});
