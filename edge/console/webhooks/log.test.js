import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "./log.js";

/** A log whose events `from` to `to` are still there; one happens each minute. */
function logOf(from, to) {
  const server = { from, to, requests: 0 };
  const ask = async (after, limit) => {
    server.requests += 1;
    const first = Math.max(after + 1, server.from);
    const last = Math.min(server.to, first + limit - 1);
    const events = [];
    for (let sequence = first; sequence <= last; sequence += 1) {
      events.push({ sequence, happened_at_unix: 60 * sequence });
    }
    return { events, next_after: events.at(-1)?.sequence ?? after, has_more: last < server.to };
  };
  return { server, log: createLog(ask) };
}

async function readAll(log) {
  const all = [];
  for (let next = null, page; ; next = page.next) {
    page = await log.readPage(next);
    all.push(...page.rows.map(({ sequence }) => sequence));
    if (page.next === null) return all;
  }
}

const downFrom = (to, from) => Array.from({ length: to - from + 1 }, (_, at) => to - at);

test("the whole log is read from its newest event, whatever its length", async () => {
  const logs = [[1, 0], [1, 1], [1, 99], [1, 100], [1, 101], [1, 501], [1, 1234], [777, 1234], [901, 1000]];
  for (const [from, to] of logs) {
    const { log } = logOf(from, to);
    assert.deepEqual(await readAll(log), downFrom(to, from), `${from} to ${to}`);
  }
});

test("the newest event of a long log is found with few requests", async () => {
  const { log, server } = logOf(20_000, 1_000_000);
  assert.equal((await log.readPage(null)).rows[0].sequence, 1_000_000);
  assert.ok(server.requests <= 30, `${server.requests}`);
});

test("news are read with one request, or as many as there are pages", async () => {
  const { log, server } = logOf(1, 1000);
  await log.readPage(null);
  [server.to, server.requests] = [1003, 0];
  assert.equal((await log.readPage(null)).rows[0].sequence, 1003);
  assert.ok(server.requests <= 2, `${server.requests}`);
  server.to = 5000;
  assert.equal((await log.readPage(null)).rows[0].sequence, 5000);
});

test("events are looked up by their numbers, with a request for all that lie together", async () => {
  const { log, server } = logOf(50, 1000);
  const found = await log.lookUp([10, 60, 140, 900, 901]);
  assert.deepEqual([10, 60, 140, 900, 901].map((n) => found.has(n)), [false, true, true, true, true]);
  assert.ok(server.requests <= 3, `${server.requests}`);
});

test("events since a time are counted without those that are deleted", async () => {
  for (const [from, to, unix, count] of [
    [1, 0, 0, 0], [1, 500, 0, 500], [201, 500, 0, 300], [1, 500, 60 * 401, 100], [1, 500, 60 * 400 + 1, 100],
    [1, 500, 60 * 500, 1], [1, 500, 60 * 501, 0],
  ]) {
    assert.equal(await logOf(from, to).log.countSince(unix), count, `${from} to ${to} since ${unix}`);
  }
});
