import assert from "node:assert/strict";
import { test } from "node:test";
import { createFeed, mergeNewest } from "./feed.js";

/** A list of numbers on a server, in pages of two. */
function feedOf(server) {
  const readPage = async (next) => {
    if (server.fails) throw new Error("down");
    const rest = server.rows.filter(({ n }) => next === null || n < next);
    const rows = rest.slice(0, 2);
    return { rows: rows.map((row) => ({ ...row })), next: rest.length > 2 ? rows.at(-1).n : null };
  };
  return createFeed({ readPage, orderOf: ({ n }) => n });
}

const rowsOf = (...numbers) => numbers.map((n) => ({ n, state: "old" }));
const shown = (feed) => feed.rows.value.map(({ n }) => n);

test("pages are read to the end, and no row twice", async () => {
  const server = { rows: rowsOf(5, 4, 3, 2, 1) };
  const feed = feedOf(server);
  await feed.load();
  server.rows.unshift({ n: 6, state: "old" });
  while (!feed.isAtEnd.value) await feed.load();
  assert.deepEqual(shown(feed), [5, 4, 3, 2, 1]);
});

test("a refresh adds what is new, changes what has changed, and drops what is gone", async () => {
  const server = { rows: rowsOf(4, 3, 2, 1) };
  const feed = feedOf(server);
  await feed.load();
  assert.equal(await feed.refresh(), false);
  server.rows = [{ n: 5, state: "new" }, { n: 4, state: "new" }, ...rowsOf(2, 1)];
  assert.equal(await feed.refresh(), true);
  assert.deepEqual(feed.rows.value.slice(0, 2), [{ n: 5, state: "new" }, { n: 4, state: "new" }]);
  while (!feed.isAtEnd.value) await feed.load();
  assert.deepEqual(shown(feed), [5, 4, 2, 1]);
});

test("a failed page can be read again, and keeps what is there", async () => {
  const server = { rows: rowsOf(3, 2, 1), fails: false };
  const feed = feedOf(server);
  await feed.load();
  server.fails = true;
  await feed.load();
  assert.equal(feed.failure.value.message, "down");
  await assert.rejects(feed.refresh());
  server.fails = false;
  await feed.load();
  assert.deepEqual([shown(feed), feed.failure.value], [[3, 2, 1], null]);
});

test("more news than is read starts the list again, without a hole", () => {
  const of = { orderOf: (n) => n, isAll: false };
  assert.deepEqual(mergeNewest([3, 2, 1], [9, 8], of), { rows: [9, 8], isOnlyHead: true });
  assert.deepEqual(mergeNewest([3, 2, 1], [4, 3], of), { rows: [4, 3, 2, 1], isOnlyHead: false });
});

test("a list that became empty is empty", () => {
  assert.deepEqual(mergeNewest([1], [], { orderOf: (n) => n, isAll: true }).rows, []);
});
