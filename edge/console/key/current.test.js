import assert from "node:assert/strict";
import { test } from "node:test";
import { isHint } from "./current.js";

test("the hint is confirmed with the ellipsis or three dots, and with spaces around it", () => {
  for (const typed of ["cgk_0c4R…Z96C", "cgk_0c4R...Z96C", "  cgk_0c4R…Z96C "]) assert.ok(isHint(typed, "cgk_0c4R…Z96C"), typed);
});

test("anything else does not confirm it", () => {
  for (const typed of ["", "cgk_0c4R", "cgk_0c4RZ96C", "CGK_0c4R…Z96C"]) assert.ok(!isHint(typed, "cgk_0c4R…Z96C"), typed);
});
