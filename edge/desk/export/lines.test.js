import assert from "node:assert/strict";
import { test } from "node:test";
import { csvRow, lineCutter } from "./lines.js";

test("lines are whole wherever the pieces end", () => {
  const text = '{"number":1}\n{"number":2}\n';
  for (let size = 1; size <= text.length; size += 1) {
    const cut = lineCutter();
    const lines = [];
    for (let at = 0; at < text.length; at += size) lines.push(...cut(text.slice(at, at + size)));
    assert.deepEqual(lines, ['{"number":1}', '{"number":2}'], `${size}`);
  }
});

test("a line without an end is not returned", () => {
  assert.deepEqual(lineCutter()('{"a":1}\n{"a"'), ['{"a":1}']);
});

test("a row of CSV is quoted where it has to be", () => {
  assert.equal(csvRow(["f8", 'known, "clip"', "Ada", 1, null, 3]), 'f8,"known, ""clip""",Ada,1,,3');
  assert.equal(csvRow(["two\nlines"]), '"two\nlines"');
});
