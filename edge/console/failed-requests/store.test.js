import assert from "node:assert/strict";
import { test } from "node:test";
import { createReportStore } from "./store.js";

function scene() {
  const state = {
    body: /** @type {any} */ ({ counts: [] }), error: /** @type {any} */ (null), tags: /** @type {any[]} */ ([]),
  };
  const store = createReportStore(async ({ etag }) => {
    state.tags.push(etag);
    if (state.error) throw state.error;
    return { body: state.body, etag: "t" };
  }, (error) => /** @type {any} */ (error));
  return { state, store };
}

test("pauses grow while nothing new fails, and a new failure makes them short again", async () => {
  const { state, store } = scene();
  const pauses = [];
  for (let round = 0; round < 4; round += 1) pauses.push(await store.refresh());
  assert.deepEqual(pauses, [2, 3, 4.5, 6.75]);
  state.body = { counts: [1] };
  assert.equal(await store.refresh(), 2);
  assert.deepEqual(store.report.value, { counts: [1] });
  assert.deepEqual(state.tags, [null, "t", "t", "t", "t"]);
});

test("a report that has not changed is not drawn again", async () => {
  const { state, store } = scene();
  await store.refresh();
  const before = store.report.value;
  state.body = { counts: [] };
  await store.refresh();
  assert.equal(store.report.value, before);
});

test("after a failure the last report stays, and the service's wish is honoured", async () => {
  const { state, store } = scene();
  await store.refresh();
  state.error = { kind: "limited", retryAfter: 40 };
  assert.equal(await store.refresh(), 40);
  assert.deepEqual([store.failure.value, store.report.value], [state.error, { counts: [] }]);
  state.error = null;
  await store.refresh();
  assert.equal(store.failure.value, null);
});
