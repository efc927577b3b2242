import assert from "node:assert/strict";
import { test } from "node:test";
import { harmOf, orderItems } from "./order.js";

/** @param {string} uuid @param {object} [more] */
const item = (uuid, more = {}) => ({
  uuid, channelId: 1, caption: null, state: "processing", waitsFor: "person", flag: null, appeal: null, findings: [],
  sinceUnix: 100, durationMs: 0, poster: null, posterReadAt: 0, claim: null, ...more,
});
const flag = (reports, hash = null) => ({ flagged_at_unix: 100, hash, reports, latest_reports: [] });
const finding = (recommendation, score) => ({ check: "classifier", recommendation, score });
const order = (...items) => orderItems(items).map(({ uuid }) => uuid).join("");

test("what is public and flagged comes before everything that waits", () => {
  const worst = item("w", { findings: [finding("reject", 1)], sinceUnix: 1 });
  assert.equal(order(worst, item("f", { state: "published", flag: flag(1) })), "fw");
  assert.equal(order(worst, item("s", { state: "scheduled", flag: flag(1) })), "ws");
});

test("the more harmful comes first", () => {
  const names = ["pass", "wait", "review", "reject"];
  const [pass, wait, review, reject] = names.map((name) => item(name[2], { findings: [finding(name, 0.5)] }));
  assert.equal(order(pass, reject, wait, review), "jvis");
});

test("a score never outweighs a recommendation", () => {
  const harm = (...of) => harmOf({ flag: null, appeal: null, findings: [finding(...of)] });
  assert.ok(harm("review", 1000) < harm("reject", 0));
  assert.equal(harm("pass", 5), 0);
});

test("a blocked picture outweighs reports, and many reports outweigh one", () => {
  const flagged = (uuid, ...of) => item(uuid, { state: "published", flag: flag(...of) });
  assert.equal(order(flagged("a", 1), flagged("b", 900), flagged("c", 0, "ff")), "cba");
});

test("an appeal is as harmful as its policy is severe, and in the middle without one", () => {
  const appealed = (uuid, severity) => item(uuid, { state: "rejected", appeal: { text: "", decidedBy: "", severity } });
  const review = item("r", { findings: [finding("review", 0)], sinceUnix: 200 });
  assert.equal(order(appealed("a", 1), review, appealed("c", 3), appealed("b", null)), "cbra");
  assert.equal(order(appealed("c", 3), item("f", { state: "published", flag: flag(1) })), "fc");
  assert.equal(harmOf(appealed("a", 9)), harmOf(appealed("a", 3)));
});

test("among similar videos, the oldest comes first", () => {
  const young = item("y", { sinceUnix: 9, findings: [finding("review", 0.61)] });
  const old = item("o", { sinceUnix: 5, findings: [finding("review", 0.6)] });
  assert.equal(order(young, old), "oy");
});

test("the order does not depend on the order of the responses, and no video is listed twice", () => {
  const [worse, flagged] = [{ findings: [finding("review")] }, { state: "published", flag: flag(3) }];
  const items = [item("a"), item("b", worse), item("c", flagged), item("a")];
  assert.equal(order(...items), "cba");
  assert.equal(order(...items.toReversed()), "cba");
});
