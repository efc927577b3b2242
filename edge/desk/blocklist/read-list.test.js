// The cases of the command, in ops/deploy/src/hash_list/mod.rs, and those that a browser adds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readList } from "./read-list.js";

const ONE = "f8f8f0cee0f4a84f06370a22038f63f0b36e2ed596621e1d33e6b39c4e9c9b22";
const TWO = "30a10efd71c83f429013d48d0ffffc52e34e0e17ada952a9d29685211ea9e5af";

const csv = (text) => readList("list.csv", text);
const jsonl = (text) => readList("list.jsonl", text);
const list = (hashes, skipped) => ({ hashes: [...hashes].sort(), skipped });

test("CSV with and without names of columns is read", () => {
  assert.deepEqual(csv(`${ONE}\n${TWO.toUpperCase()}\n${ONE}\n`), list([ONE, TWO], 0));
  assert.deepEqual(csv(`id,PDQ,quality\r\n1, ${ONE} ,100\r\n2,${TWO},49\r\n`), list([ONE], 1));
  assert.deepEqual(csv(`type,hash\npdq,${ONE}\nmd5,0\nPDQ,${TWO}\n`), list([ONE, TWO], 1));
  assert.deepEqual(csv(""), list([], 0));
  assert.deepEqual(csv(`hash,quality\n${ONE},`), list([ONE], 0));
});

test("quoted cells may have commas, quotes and lines", () => {
  const text = `hash,reason\n${ONE},"known, ""clip""\nof two lines"\n\n"${TWO}",x`;
  assert.deepEqual(csv(text), list([ONE, TWO], 0));
  assert.throws(() => csv(`hash,reason\n${ONE},"a\nb"\nx,y\n`), /^Error: Line 4: /);
});

test("JSON lines are read", () => {
  assert.deepEqual(jsonl(`"${ONE}"\n\n{"pdq_hash":"${TWO}","quality":90}`), list([ONE, TWO], 0));
  assert.deepEqual(jsonl(`{"hash":"${ONE}","quality":3.5}\r\n`), list([], 1));
  assert.deepEqual(jsonl(`{"hash":"${ONE}","quality":null}`), list([ONE], 0));
  assert.deepEqual(readList("LIST.NDJSON", `"${ONE}"`), list([ONE], 0));
});

test("an entry that cannot be read is named by its line", () => {
  for (const [text, line] of [[`hash\n${ONE}\nx\n`, 3], ["a,b\n", 1], [`${ONE}\n,\n`, 2]]) {
    assert.throws(() => csv(text), { line }, text);
  }
  for (const second of ["3", "{", '"x"', "null", "{}", "[]"]) {
    assert.throws(() => jsonl(`"${ONE}"\n${second}\n`), { line: 2 }, second);
  }
});

test("an unreadable quality is an error", () => {
  for (const quality of ["high", "NaN", "-1", "101", "0x32", "inf"]) {
    assert.throws(() => csv(`hash,quality\n${ONE},${quality}\n`), { line: 2 }, quality);
    assert.throws(() => jsonl(`{"hash":"${ONE}","quality":"${quality}"}`), { line: 1 }, quality);
  }
  for (const quality of ["[]", "{}", "true"]) {
    assert.throws(() => jsonl(`{"hash":"${ONE}","quality":${quality}}`), { line: 1 }, quality);
  }
  assert.deepEqual(jsonl(`{"hash":"${ONE}","quality":"49.5"}`), list([], 1));
});

test("the name of a file tells its format", () => {
  assert.deepEqual(readList("list.CSV", ONE), list([ONE], 0));
  for (const name of ["list", "list.json", "csv"]) assert.throws(() => readList(name, ONE), { line: null }, name);
});
