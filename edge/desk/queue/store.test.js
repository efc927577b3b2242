import assert from "node:assert/strict";
import { test } from "node:test";
import { createQueue } from "./store.js";

const queued = (content_uuid, waits_since_unix) =>
  ({ content_uuid, waits_since_unix, channel_id: 1, waits_for: "person", findings: [] });
const flagged = (content_uuid) => ({
  content_uuid, state: "published", channel_id: 1, flagged_at_unix: 5, hash: null, reports: 1, latest_reports: [],
});

const appealed = (content_uuid, policy_code) => ({
  content: { content_uuid, state: "rejected", channel_id: 1, caption: null }, text: "No.", made_at_unix: 3, policy_code,
  decided_by: "Ada", poster_url: null, claim: null,
});

/** A service whose lists the test changes. */
function scene({ comparison } = {}) {
  const lists = { queue: [queued("a", 1), queued("b", 2)], flagged: [flagged("f")], appeals: [] };
  const down = new Set();
  const requests = [];
  const clock = { now: 1000 };
  const queue = createQueue({
    now: () => clock.now,
    comparison,
    readSeverities: async () => new Map([["violence", 3], ["spam", 1]]),
    get: async (path, { cursor = null } = {}) => {
      requests.push(path);
      const name = path.split("/").at(-1);
      if (down.has(name)) throw new Error(name);
      if (name !== "queue") return { contents: lists[name], has_more: false };
      const [from, all] = [Number(cursor ?? 0), lists.queue];
      return { contents: all.slice(from, from + 50), next_cursor: from + 50 < all.length ? String(from + 50) : null };
    },
  });
  return { queue, lists, down, requests, clock, names: () => queue.rows.value.map(({ uuid }) => uuid).join("") };
}

test("both lists become one queue", async () => {
  const { queue, names } = scene();
  await queue.open(["flagged", "person"]);
  assert.equal(names(), "fab");
});

test("appeals are in the queue by the severity of their policies", async () => {
  const { queue, lists, names } = scene();
  lists.appeals = [appealed("s", "spam"), appealed("u", null), appealed("v", "violence")];
  await queue.open(["flagged", "person", "appealed"]);
  assert.equal(names(), "fvusab");
});

test("a video of two lists is one row, with its flag and its appeal", async () => {
  const { queue, lists } = scene();
  lists.appeals = [appealed("f", "spam")];
  await queue.open(["flagged", "appealed"]);
  assert.deepEqual(queue.rows.value.map(({ flag, appeal }) => [flag?.reports, appeal?.decidedBy]), [[1, "Ada"]]);
});

test("when a list cannot be read, the other one is shown, and the rows of before stay", async () => {
  const { queue, down, lists, names } = scene();
  down.add("flagged");
  await queue.open(["flagged", "person"]);
  assert.equal(names(), "ab");
  assert.equal(queue.failure.value.message, "flagged");
  down.delete("flagged");
  await queue.refresh();
  down.add("queue");
  lists.flagged = [];
  await queue.refresh();
  assert.equal(names(), "ab");
});

test("nothing is shown as empty before anything was read", async () => {
  const { queue, down } = scene();
  down.add("flagged").add("queue");
  await queue.open(["flagged", "person"]);
  assert.equal(queue.hasLoaded.value, false);
});

test("a decided video does not come back with a list that was read before", async () => {
  const { queue, clock, names } = scene();
  await queue.open(["person"]);
  queue.noteDecided("a");
  await queue.refresh();
  assert.equal(names(), "b");
  clock.now += 61;
  await queue.refresh();
  assert.equal(names(), "ab");
});

test("in a list in use, new videos wait for their places", async () => {
  const { queue, lists, names } = scene();
  await queue.open(["person"]);
  queue.isHeld.current = () => true;
  lists.queue = [queued("z", 0), ...lists.queue];
  await queue.refresh();
  assert.equal(names(), "ab");
  assert.equal(queue.fresh.value.length, 1);
  queue.showFresh();
  assert.equal(names(), "zab");
});

test("a very long queue is read up to its 200 longest-waiting videos", async () => {
  const { queue, lists, requests } = scene();
  lists.queue = Array.from({ length: 500 }, (_, at) => queued(String(at).padStart(3, "0"), at));
  await queue.open(["person"]);
  assert.equal(queue.rows.value.length, 200);
  assert.equal(queue.hasMore.value, true);
  assert.equal(requests.length, 4);
});

test("the videos that wait for a person are compared before they are shown, and no others", async () => {
  const seen = [];
  const comparison = {
    begin: () => seen.push("begin"), follow: async (uuids) => seen.push(`${uuids.join("")} after ${names()}`),
  };
  const { queue, names } = scene({ comparison });
  await queue.open(["flagged"]);
  assert.deepEqual(seen, []);
  await queue.open(["flagged", "person"]);
  assert.deepEqual([seen, names()], [["begin", "ab after "], "fab"]);
});
