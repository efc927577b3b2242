import assert from "node:assert/strict";
import { test } from "node:test";
import { createCount, dayOf, isDistressing } from "./count.js";

/** A storage as browsers have it, in a map. */
const storageOf = (entries) => ({
  get length() { return entries.size; },
  key: (at) => [...entries.keys()][at] ?? null,
  getItem: (key) => entries.get(key) ?? null,
  setItem: (key, value) => entries.set(key, value),
  removeItem: (key) => entries.delete(key),
});

function scene() {
  const entries = new Map([["desk.pictures", "clear"]]);
  const clock = { today: "2026-11-28" };
  const open = () => createCount({ storage: () => storageOf(entries), today: () => clock.today });
  return { entries, clock, open };
}

const policies = [
  { policy_code: "spam", severity: 1 }, { policy_code: "hate", severity: 2 }, { policy_code: "violence", severity: 3 },
];

test("a rejection or a take-down under a policy of severity 3 is about a distressing video", () => {
  const isCounted = (action, policyCode) => isDistressing({ action, policyCode }, policies);
  assert.deepEqual([isCounted("reject", "violence"), isCounted("take_down", "violence")], [true, true]);
  assert.deepEqual([isCounted("reject", "hate"), isCounted("reject", null), isCounted("approve", "violence")], [false, false, false]);
});

test("each person has a number of their own, and only numbers are stored", () => {
  const { entries, open } = scene();
  const count = open();
  assert.deepEqual([count.add("Ada"), count.add("Ada"), count.add("Bo")], [1, 2, 1]);
  assert.equal(count.count("Ada"), 2);
  assert.deepEqual([...entries].slice(1), [["desk.distressing.2026-11-28.Ada", "2"], ["desk.distressing.2026-11-28.Bo", "1"]]);
});

test("two tabs count together", () => {
  const { open } = scene();
  const [one, other] = [open(), open()];
  one.add("Ada");
  assert.equal(other.add("Ada"), 2);
  assert.equal(one.count("Ada"), 2);
});

test("a new day begins at zero, and leaves nothing of the day before", () => {
  const { entries, clock, open } = scene();
  const count = open();
  count.add("Ada");
  count.add("Bo");
  clock.today = "2026-11-29";
  assert.equal(count.count("Ada"), 0);
  assert.equal(count.add("Ada"), 1);
  assert.deepEqual([...entries.keys()], ["desk.pictures", "desk.distressing.2026-11-29.Ada"]);
  count.forget();
  assert.deepEqual([...entries.keys()], ["desk.pictures"]);
});

test("without storage, or with something else in its place, the page counts by itself", () => {
  const broken = createCount({ storage: () => { throw new Error("denied"); }, today: () => "2026-11-28" });
  assert.deepEqual([broken.add("Ada"), broken.add("Ada"), broken.count("Ada")], [1, 2, 2]);
  broken.forget();
  const { entries, open } = scene();
  entries.set("desk.distressing.2026-11-28.Ada", "many");
  assert.equal(open().add("Ada"), 1);
});

test("a day is the person's own, not that of UTC", () => {
  assert.equal(dayOf(new Date(2026, 0, 5, 0, 1)), "2026-01-05");
  assert.equal(dayOf(new Date(2026, 10, 28, 23, 59)), "2026-11-28");
});
