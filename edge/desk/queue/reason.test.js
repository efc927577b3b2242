import assert from "node:assert/strict";
import { test } from "node:test";
import { strongestReason } from "./reason.js";

const report = (reason) => ({ reason, text: "", reported_at_unix: 1 });
const flag = (hash, reports, ...reasons) => ({ flagged_at_unix: 1, hash, reports, latest_reports: reasons.map(report) });
const of = (more) => strongestReason({ findings: [], flag: null, appeal: null, waitsFor: null, ...more }).text;

test("a blocked picture is said before reports", () => {
  assert.equal(of({ flag: flag("ff", 5, "hate") }), "Matches a picture that was blocked later");
});

test("reports are counted, and each reason is named once", () => {
  assert.equal(of({ flag: flag(null, 3, "hate", "sexual", "hate") }), "Reported by 3 viewers: hate, sexual content");
  assert.equal(of({ flag: flag(null, 1) }), "Reported by 1 viewer");
});

test("an appeal quotes the beginning of the owner's words", () => {
  const reason = (text) => strongestReason({
    findings: [], flag: null, waitsFor: null, appeal: { text, decidedBy: "Ada", severity: null },
  });
  assert.deepEqual(reason(" It is a scene. "), { text: "Appeal", tone: "wait", quote: "It is a scene." });
  assert.equal(reason("x".repeat(1000)).quote?.length, 160);
});

test("among findings, the most harmful one is said", () => {
  const findings = [
    { check: "silent", recommendation: "pass" }, { check: "blocklist", recommendation: "reject" },
    { check: "report", recommendation: "review" },
  ];
  assert.equal(of({ findings }), "A copy of a removed video");
});

test("without a reason, the row says what it waits for", () => {
  const findings = [{ check: "black", recommendation: "pass" }];
  assert.equal(of({ waitsFor: "check", findings }), "A check has to run again");
  assert.equal(of({ waitsFor: "person" }), "Waiting for a person");
});
