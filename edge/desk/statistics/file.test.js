import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "./file.js";

const NO_APPEALS = { made: 0, granted: 0, rejected: 0 };
const NOTHING = { month: "2026-11", decisions: [], automatic_rejections: 0, appeals: NO_APPEALS };
const decision = (action, policy_code, number, median_seconds) => ({ action, policy_code, number, median_seconds });

test("each number of a month is a row", () => {
  const file = csvOf({
    month: "2026-11", decisions: [decision("approve", null, 31, 340), decision("reject", "violence", 12, null)],
    automatic_rejections: 30, appeals: { made: 5, granted: 1, rejected: 2 },
  });
  assert.deepEqual(file.split("\r\n"), [
    "month,kind,action,policy_code,number,median_seconds",
    "2026-11,decision,approve,,31,340",
    "2026-11,decision,reject,violence,12,",
    "2026-11,automatic_rejection,,,30,",
    "2026-11,appeal_made,,,5,",
    "2026-11,appeal_granted,,,1,",
    "2026-11,appeal_rejected,,,2,",
    "",
  ]);
});

test("a month without anything has its zeros", () => {
  assert.equal(csvOf(NOTHING).split("\r\n")[1], "2026-11,automatic_rejection,,,0,");
});

test("cells are quoted where they have to be", () => {
  const file = csvOf({ ...NOTHING, decisions: [decision("reject", 'a "b", c\nd', 1, 0)] });
  assert.ok(file.includes('\r\n2026-11,decision,reject,"a ""b"", c\nd",1,0\r\n'), file);
});

test("no cell is a formula of a spreadsheet", () => {
  for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"]) {
    const file = csvOf({ ...NOTHING, decisions: [decision(text, text, 1, null)] });
    const cell = /[\r"]/.test(text) ? `"'${text}"` : `'${text}`;
    assert.ok(file.includes(`\r\n2026-11,decision,${cell},${cell},1,\r\n`), JSON.stringify(file));
  }
  assert.ok(csvOf({ ...NOTHING, decisions: [decision("reject", "a-b", 1, null)] }).includes(",a-b,"));
});
