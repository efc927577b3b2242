import assert from "node:assert/strict";
import { test } from "node:test";
import { isHint, key, keyFailure, makeKey, previousKeyEnd, readKey } from "./current.js";

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

test("a rotation asks for the time for which the old key stays valid, and knows when it ends", async (context) => {
  /** @type {unknown[]} */
  const sent = [];
  const made = { success: true, api_key: "cgk_whole", key: { key_hint: HINT, previous_key_ends_at_unix: 3700 } };
  context.mock.method(globalThis, "fetch", async (/** @type {string} */ address, /** @type {RequestInit} */ { body }) => {
    sent.push([address, JSON.parse(String(body))]);
    return new Response(JSON.stringify(made), { status: 200, headers: { "Content-Type": "application/json" } });
  });
  await makeKey("rotate", { previous_key_valid_seconds: 3600 });
  assert.deepEqual(sent, [["/api/php/user_settings/rotate_api_key", { previous_key_valid_seconds: 3600 }]]);
  assert.equal(previousKeyEnd(key.value, 100), 3700);
});

test("a previous key that has ended, or that does not exist, has no end", () => {
  assert.equal(previousKeyEnd({ ...key.value, previous_key_ends_at_unix: 3700 }, 3700), null);
  assert.equal(previousKeyEnd({ ...key.value, previous_key_ends_at_unix: undefined }, 100), null);
  for (const none of [null, undefined]) assert.equal(previousKeyEnd(none, 100), null);
});
