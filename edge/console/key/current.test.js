import assert from "node:assert/strict";
import { test } from "node:test";
import { isHint, key, keyFailure, makeKey, readKey } from "./current.js";

const HINT = "cgk_0c4R…Z96C";

test("the hint is confirmed with the ellipsis or three dots, and with spaces around it", () => {
  for (const typed of [HINT, "cgk_0c4R...Z96C", `  ${HINT} `]) assert.ok(isHint(typed, HINT), typed);
});

test("anything else does not confirm it", () => {
  for (const typed of ["", "cgk_0c4R", "cgk_0c4RZ96C", "CGK_0c4R…Z96C"]) assert.ok(!isHint(typed, HINT), typed);
});

test("an account without a key is known to have none, and a failure is no answer", async (context) => {
  const answers = [
    [200, { success: true, error_message_code: null, api_key: null, key: null }],
    [500, { success: false, error_message_code: "internal_error", api_key: null, key: null }],
  ];
  context.mock.method(globalThis, "fetch", async () => {
    const [status, body] = answers.shift();
    return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
  });
  await readKey();
  assert.deepEqual([key.value, keyFailure.value], [null, null]);
  key.value = undefined;
  await readKey();
  assert.equal(key.value, undefined);
  assert.equal(keyFailure.value?.code, "internal_error");
});

test("what was read before the key was created does not hide the new key", async (context) => {
  const json = (/** @type {object} */ body) =>
    new Response(JSON.stringify(body), { status: 200, headers: { "Content-Type": "application/json" } });
  /** @type {(response: Response) => void} */
  let answerLate = () => {};
  const late = new Promise((resolve) => (answerLate = resolve));
  const made = { success: true, api_key: "cgk_whole", key: { key_hint: HINT } };
  context.mock.method(globalThis, "fetch", (/** @type {string} */ address) =>
    address.endsWith("get_api_key") ? late : Promise.resolve(json(made)));
  const reading = readKey();
  assert.equal(await makeKey("create"), "cgk_whole");
  answerLate(json({ success: true, api_key: null, key: null }));
  await reading;
  assert.equal(key.value?.key_hint, HINT);
});
