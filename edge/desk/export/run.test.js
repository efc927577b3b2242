import assert from "node:assert/strict";
import { test } from "node:test";
import { createExport } from "./run.js";

const lines = (from, until) =>
  Array.from({ length: until - from + 1 }, (_, at) => `${JSON.stringify({ number: from + at })}\n`).join("");

test("an export that breaks off goes on after its last whole line", async () => {
  const asked = [];
  const read = async function* (after) {
    asked.push(after);
    if (after === null) {
      yield `${lines(1, 2)}{"num`;
      throw new Error("no network");
    }
    yield lines(after + 1, 4);
  };
  const counts = [];
  const one = createExport({ read, placeOf: (row) => row.number, write: (_, line) => line });
  await assert.rejects(one.run((count) => counts.push(count)), /no network/);
  const parts = await one.run((count) => counts.push(count));
  assert.equal(parts.join(""), lines(1, 4));
  assert.deepEqual(asked, [null, 2]);
  assert.deepEqual(counts, [2, 4]);
});

test("the first line is there once, and only before rows", async () => {
  const file = async (text) => {
    const read = async function* () {
      yield* text;
    };
    const of = { read, placeOf: (row) => row.number, write: (row) => String(row.number), head: "number" };
    return (await createExport(of).run(() => {})).join("");
  };
  assert.equal(await file([lines(1, 1), lines(2, 3)]), "number\n1\n2\n3\n");
  assert.equal(await file([]), "");
});

test("an export that ends inside of a line is not saved", async () => {
  const read = async function* () {
    yield `${lines(1, 2)}{"num`;
  };
  await assert.rejects(createExport({ read, placeOf: (row) => row.number, write: (_, line) => line }).run(() => {}));
});
