import assert from "node:assert/strict";
import { test } from "node:test";
import { sinceChoices } from "./resend.js";

test("the last delivery comes first, if there was one", () => {
  assert.equal(sinceChoices(1_000_000, 2_000_000)[0].value, "1000000");
  assert.equal(sinceChoices(null, 2_000_000)[0].value, "1996400");
});
