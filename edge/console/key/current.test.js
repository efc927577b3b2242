import assert from "node:assert/strict";
import { test } from "node:test";
import { isHint } from "./current.js";

const HINT = "cgk_0c4R…Z96C";

test("the hint is confirmed with the ellipsis or three dots, and with spaces around it", () => {
  for (const typed of [HINT, "cgk_0c4R...Z96C", `  ${HINT} `]) assert.ok(isHint(typed, HINT), typed);
});

test("anything else does not confirm it", () => {
  for (const typed of ["", "cgk_0c4R", "cgk_0c4RZ96C", "CGK_0c4R…Z96C"]) assert.ok(!isHint(typed, HINT), typed);
});
