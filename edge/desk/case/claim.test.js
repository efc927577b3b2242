import assert from "node:assert/strict";
import { test } from "node:test";
import { createClaim } from "./claim.js";

function scene() {
  const [sent, timers] = [[], new Map()];
  let failure = null;
  let last = 0;
  let losses = 0;
  const claim = createClaim({
    uuid: "u", me: "Ada", now: () => 1000, isClaimed: (error) => error === "claimed",
    onLost: () => (losses += 1),
    post: async (path, body) => {
      sent.push(`${path.split("/").at(-1)}${body.take_over ? " over" : ""}`);
      if (failure) throw failure;
    },
    later: (run, seconds) => { timers.set((last += 1), { run, seconds }); return last; },
    cancel: (timer) => timers.delete(timer),
  });
  const fail = (what) => (failure = what);
  return { claim, sent, timers, fail, losses: () => losses };
}

test("a claim is renewed before its five minutes are over, and released on leaving", async () => {
  const { claim, sent, timers } = scene();
  assert.equal(await claim.claim(), true);
  const [{ run, seconds }] = timers.values();
  assert.ok(seconds < 300);
  await run();
  claim.leave();
  assert.deepEqual(sent, ["claim", "claim", "release_claim"]);
  assert.equal(timers.size, 0);
});

test("a decision that is on its way keeps the claim", async () => {
  const { claim, sent } = scene();
  await claim.claim();
  claim.leave({ isKept: true });
  assert.deepEqual(sent, ["claim"]);
});

test("a video that somebody else is looking at is not claimed, until it is taken over", async () => {
  const { claim, sent, timers, fail, losses } = scene();
  fail("claimed");
  assert.equal(await claim.claim(), false);
  assert.equal(losses(), 1, "nobody asks who has it");
  assert.equal(timers.size, 0);
  claim.leave();
  assert.deepEqual(sent, ["claim"]);
  fail(null);
  assert.equal(await claim.claim({ takeOver: true }), false, "it was left before");
});

test("a claim that somebody takes over is lost", async () => {
  const { claim, timers } = scene();
  await claim.claim();
  claim.note({ by: "Ada", until_unix: 2000 });
  assert.equal(claim.mine.value, true);
  claim.note({ by: "Ben", until_unix: 2000 });
  assert.deepEqual([claim.mine.value, claim.other.value.by, timers.size], [false, "Ben", 0]);
  claim.note({ by: "Ben", until_unix: 999 });
  assert.equal(claim.other.value, null);
});

test("a claim that arrives after the case was left is released", async () => {
  const { claim, sent } = scene();
  const claiming = claim.claim();
  claim.leave();
  await claiming;
  assert.deepEqual(sent, ["claim", "release_claim"]);
});

test("without a connection, the claim is tried again", async () => {
  const { claim, timers, fail } = scene();
  fail("offline");
  assert.equal(await claim.claim(), false);
  assert.equal(timers.size, 1);
});
