import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { meaningOf, readMeanings } from "./catalogue.js";

const documented = readMeanings(readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8"));

test("every code of the catalogue has a sentence that says what is wrong", () => {
  assert.ok(documented.size > 50, `${documented.size} codes`);
  for (const [code, { what }] of documented) assert.match(what, /^[^|]{15,}\.$/, code);
});

test("the first sentence says what is wrong, and the rest what to do", () => {
  assert.deepEqual(documented.get("file_not_found"), {
    what: "The form has no video in a field named `file`.", next: "Send the video in exactly that field.",
  });
  assert.deepEqual(meaningOf("Send `_`, `-` and `.`; at most 4.5 MB."),
    { what: "Send `_`, `-` and `.`; at most 4.5 MB.", next: null });
});
