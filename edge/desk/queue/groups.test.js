import assert from "node:assert/strict";
import { test } from "node:test";
import { createGroups } from "./groups.js";

/** A service whose response and clock the test controls. */
function scene() {
  const clock = { now: 1000 };
  const service = { requests: 0, groups: [{ content_uuids: ["a", "b"], is_same_file: false }], isDown: false };
  const groups = createGroups({
    now: () => clock.now,
    pause: () => new Promise((resolve) => setTimeout(resolve, 5)),
    get: async () => {
      service.requests += 1;
      if (service.isDown) throw new Error("down");
      if (service.isSlow) await new Promise(() => {});
      return { groups: service.groups };
    },
  });
  return { groups, service, clock };
}

test("the groups are read once with the first list, and not with every poll", async () => {
  const { groups, service, clock } = scene();
  groups.begin();
  await groups.follow(["a", "b"]);
  assert.equal(groups.groups.value.length, 1);
  clock.now += 600;
  groups.begin();
  await groups.follow(["b"]);
  assert.equal(service.requests, 1);
});

test("a new video has them read again, at most every 30 seconds", async () => {
  const { groups, service, clock } = scene();
  groups.begin();
  await groups.follow(["a", "b"]);
  clock.now += 10;
  await groups.follow(["a", "b", "c"]);
  assert.equal(service.requests, 1);
  clock.now += 20;
  await groups.follow(["a", "b", "c"]);
  assert.equal(service.requests, 2);
  clock.now += 600;
  await groups.follow(["a", "b", "c"]);
  assert.equal(service.requests, 2);
});

test("behind the 100 longest-waiting videos, new ones do not matter until they are among them", async () => {
  const { groups, service, clock } = scene();
  const waiting = Array.from({ length: 100 }, (_, at) => String(at));
  groups.begin();
  await groups.follow(waiting);
  clock.now += 60;
  await groups.follow([...waiting, "new"]);
  assert.equal(service.requests, 1);
  await groups.follow([...waiting.slice(1), "new"]);
  assert.equal(service.requests, 2);
});

test("if they cannot be read, the former groups stay, and the service is asked again later", async () => {
  const { groups, service, clock } = scene();
  service.isDown = true;
  groups.begin();
  await groups.follow(["a", "b"]);
  assert.deepEqual(groups.groups.value, []);
  clock.now += 29;
  await groups.follow(["a", "b"]);
  assert.equal(service.requests, 1);
  service.isDown = false;
  clock.now += 1;
  await groups.follow(["a", "b"]);
  assert.equal(groups.groups.value.length, 1);
  service.isDown = true;
  clock.now += 30;
  await groups.follow(["a", "b", "c"]);
  assert.equal(groups.groups.value.length, 1);
});

test("the rows do not wait for a slow response", async () => {
  const { groups, service } = scene();
  service.isSlow = true;
  groups.begin();
  await groups.follow(["a", "b"]);
  assert.deepEqual(groups.groups.value, []);
});
