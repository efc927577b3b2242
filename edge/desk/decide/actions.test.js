import assert from "node:assert/strict";
import { test } from "node:test";
import { actionsOf, meantBy, subjectOfCase, subjectOfItem, whyNot } from "./actions.js";

const subject = (state, more = {}) => ({
  state, waitsFor: null, isFlagged: false, isAppealed: false, removedAtUnix: null, ...more,
});
const names = (of) => actionsOf(of, 10_000_000).map(({ name }) => name).join(" ");

test("each state allows the decisions that the service makes", () => {
  assert.equal(names(subject("processing")), "");
  assert.equal(names(subject("processing", { waitsFor: "person" })), "approve reject");
  assert.equal(names(subject("processing", { waitsFor: "check" })), "approve reject");
  assert.equal(names(subject("published")), "take_down");
  assert.equal(names(subject("scheduled", { isFlagged: true })), "take_down dismiss");
  assert.equal(names(subject("deleted")), "");
  assert.equal(names(subject("deleted", { isFlagged: true })), "reject take_down dismiss");
  assert.equal(names(subject("failed")), "");
});

test("only a person's decision of the last 44 days can be taken back", () => {
  assert.equal(names(subject("rejected")), "");
  assert.equal(names(subject("taken_down", { removedAtUnix: 10_000_000 - 29 * 86_400 })), "restore");
  assert.equal(names(subject("taken_down", { removedAtUnix: 10_000_000 - 44 * 86_400 })), "");
});

test("the newest decision about the video tells whether a person removed it", () => {
  const decision = (action, decided_at_unix) => ({ action, decided_at_unix });
  const content = { state: "x", waits_for: null };
  const of = (...decisions) => subjectOfCase({ content, flag: null, decisions }).removedAtUnix;
  assert.equal(of(decision("reject", 7), decision("approve", 5)), 7);
  assert.equal(of(decision("restore", 9), decision("reject", 7)), null);
  assert.equal(of(decision("dismiss", 9), decision("take_down", 8)), 8);
  assert.equal(of(), null);
});

test("an appeal is granted by restoring the video, or rejected, while it waits", () => {
  const removedAtUnix = 10_000_000 - 5;
  assert.equal(names(subject("rejected", { isAppealed: true, removedAtUnix })), "restore reject_appeal");
  assert.equal(names(subject("deleted", { isAppealed: true })), "reject_appeal");
  const item = { state: "taken_down", waitsFor: null, flag: null, appeal: { text: "No." }, sinceUnix: removedAtUnix };
  assert.equal(names(subjectOfItem(item)), "restore reject_appeal");
  const content = { state: "rejected", waits_for: null };
  const decided = { content, flag: null, decisions: [], appeal: { state: "rejected" } };
  assert.equal(names(subjectOfCase(decided)), "");
  assert.equal(whyNot("reject", subject("rejected", { isAppealed: true })),
    "This video is already rejected. To leave it that way, reject the appeal.");
});

test("a key that does nothing says why, and what to do instead", () => {
  assert.equal(whyNot("reject", subject("published")), "This video is published. Take it down instead.");
  const waiting = subject("processing", { waitsFor: "person" });
  assert.equal(whyNot("take_down", waiting), "This video is being processed. Reject it instead.");
  assert.equal(whyNot("dismiss", subject("published")), "This video is not flagged.");
});

test("only a removal includes the similar videos of the open case", () => {
  const videos = [{ uuid: "a" }, { uuid: "b" }];
  assert.deepEqual(meantBy("reject", videos, "a"), videos);
  assert.deepEqual(meantBy("take_down", videos, "a"), videos);
  for (const action of ["approve", "dismiss", "restore", "reject_appeal"]) {
    assert.deepEqual(meantBy(action, videos, "a"), [{ uuid: "a" }], action);
  }
  // A selection has been made row by row.
  assert.deepEqual(meantBy("approve", videos), videos);
});
