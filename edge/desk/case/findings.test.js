import assert from "node:assert/strict";
import { test } from "node:test";
import { describeFinding, firstMoment, groupFindings, orderFindings } from "./findings.js";

test("a score is named with its threshold, if there is one", () => {
  assert.deepEqual(describeFinding({ check: "flashing", recommendation: "review", score: 4 }), {
    name: "Flashes that can trigger seizures", advice: "Needs review", tone: "wait",
    details: ["12 flashes in the worst second; more than 3 need review"],
  });
  assert.deepEqual(describeFinding({ check: "classifier", recommendation: "reject", score: 0.914, note: "nudity" }), {
    name: "Classifier: nudity", advice: "Recommends rejection", tone: "bad", details: ["Score 0.91"],
  });
});

test("an unknown check is shown by its own name", () => {
  assert.equal(describeFinding({ check: "new_check", recommendation: "odd" }).name, "new check");
});

test("the strictest finding comes first, then the earliest", () => {
  const findings = [
    { check: "black", recommendation: "pass", from_ms: 0 },
    { check: "flashing", recommendation: "review", from_ms: 9000 },
    { check: "flashing", recommendation: "review", from_ms: 3000 }, { check: "blocklist", recommendation: "reject" },
  ];
  assert.deepEqual(orderFindings(findings).map(({ from_ms }) => from_ms), [undefined, 3000, 9000, 0]);
});

test("the video opens at the strictest finding that names a time, not at a black beginning", () => {
  const black = { check: "black", recommendation: "pass", from_ms: 0 };
  assert.equal(firstMoment([black, { check: "loud", recommendation: "review", from_ms: 4500 }]), 4.5);
  assert.equal(firstMoment([{ check: "report", recommendation: "review" }]), 0);
});

test("a detector's note is shown without what the name says", () => {
  const details = (note) => describeFinding({ check: "black", recommendation: "pass", note }).details;
  assert.deepEqual(details("black"), []);
  assert.deepEqual(details("black; one of the longest of 30 such parts"), ["one of the longest of 30 such parts"]);
  assert.deepEqual(details("blackish"), ["blackish"]);
});

test("findings that say the same are one, with all of their times", () => {
  const black = (from_ms, note = "black") => ({ check: "black", recommendation: "pass", from_ms, note });
  const report = { check: "report", recommendation: "review", note: "incomplete" };
  const groups = groupFindings([black(3900), report, black(0), black(500), black(500, "black; odd")]);
  const times = groups.map(({ finding, parts }) => [finding.check, parts.map(({ from_ms }) => from_ms)]);
  assert.deepEqual(times, [["report", []], ["black", [0, 3900]], ["black", [500]]]);
});
