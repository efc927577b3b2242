import assert from "node:assert/strict";
import { test } from "node:test";
import { createPending, UNDO_SECONDS } from "./pending.js";

/** A desk whose clock and service the test controls. `fail` maps a video to the failure of its next request. */
function scene() {
  const [sent, done, refused, timers] = [[], [], [], new Map()];
  const fail = new Map();
  let last = 0;
  const pending = createPending({
    send: async (order, target, isLeaving) => {
      sent.push(`${order.action} ${target.uuid}${isLeaving ? " leaving" : ""}`);
      const failure = fail.get(target.uuid);
      fail.delete(target.uuid);
      if (failure) throw failure;
    },
    failureFrom: (error) => error,
    onDone: (_, { uuid }) => done.push(uuid),
    onRefused: (_, { uuid }, { what }) => refused.push(`${uuid}: ${what}`),
    later: (run, seconds) => { timers.set((last += 1), { run, seconds }); return last; },
    cancel: (timer) => timers.delete(timer),
  });
  const tick = async () => {
    for (const [timer, { run }] of [...timers]) {
      timers.delete(timer);
      run();
    }
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { pending, sent, done, refused, timers, fail, tick };
}

const order = (action, ...uuids) =>
  ({ action, targets: uuids.map((uuid) => ({ uuid, title: uuid })), reason: "x", policyCode: null });

test("a decision is held back, and sent once after ten seconds", async () => {
  const { pending, sent, done, timers, tick } = scene();
  pending.add(order("approve", "a"));
  assert.deepEqual(sent, []);
  assert.equal([...timers.values()][0].seconds, UNDO_SECONDS);
  assert.equal(pending.about("a").action, "approve");
  await tick();
  await tick();
  assert.deepEqual([sent, done], [["approve a"], ["a"]]);
  assert.equal(pending.about("a"), null);
});

test("a decision that was undone is never sent", async () => {
  const { pending, sent, tick } = scene();
  pending.add(order("approve", "a"));
  pending.add(order("reject", "b"));
  assert.equal(pending.undo().targets[0].uuid, "b");
  assert.equal(pending.undo().targets[0].uuid, "a");
  assert.equal(pending.undo(), null);
  await tick();
  assert.deepEqual(sent, []);
});

test("what was sent cannot be undone", async () => {
  const { pending } = scene();
  const id = pending.add(order("approve", "a"));
  const sending = pending.flush();
  assert.equal(pending.undo(id), null);
  await sending;
});

test("leaving the page sends everything at once", async () => {
  const { pending, sent } = scene();
  pending.add(order("reject", "a", "b", "c", "d", "e", "f"));
  pending.add(order("approve", "g"));
  const leaving = pending.flush({ isLeaving: true });
  assert.equal(sent.length, 7);
  assert.ok(sent.every((request) => request.endsWith("leaving")));
  await leaving;
});

test("a decision that the service refuses is reported once, and the others are made", async () => {
  const { pending, done, refused, fail } = scene();
  fail.set("b", { kind: "request", what: "It was decided.", retryAfter: null });
  pending.add(order("approve", "a", "b", "c"));
  await pending.flush();
  assert.deepEqual([done, refused], [["a", "c"], ["b: It was decided."]]);
  assert.deepEqual(pending.entries.value, []);
});

test("a decision that cannot be sent now is sent again, and only for the videos that are left", async () => {
  const { pending, sent, done, timers, fail, tick } = scene();
  fail.set("b", { kind: "limited", what: "Too many.", retryAfter: 17 });
  pending.add(order("approve", "a", "b"));
  await pending.flush();
  assert.equal(pending.about("b").state, "retrying");
  assert.equal(pending.about("a"), null);
  assert.equal([...timers.values()][0].seconds, 17);
  await tick();
  assert.deepEqual([sent, done], [["approve a", "approve b", "approve b"], ["a", "b"]]);
});

test("without a session, a decision waits until somebody has signed in", async () => {
  const { pending, done, timers, fail } = scene();
  fail.set("a", { kind: "signed_out", what: "", retryAfter: null });
  pending.add(order("approve", "a"));
  await pending.flush();
  assert.equal(timers.size, 0);
  await pending.resume();
  assert.deepEqual(done, ["a"]);
});

test("what was dropped is never sent", async () => {
  const { pending, sent, timers } = scene();
  pending.add(order("approve", "a"));
  pending.drop();
  assert.equal(timers.size, 0);
  await pending.flush({ isLeaving: true });
  assert.deepEqual(sent, []);
});
