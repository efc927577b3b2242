import assert from "node:assert/strict";
import { test } from "node:test";
import { createVideoStore } from "./video-store.js";

/** @returns {any} */
const video = (fields = {}) => ({
  content_uuid: "u1", slug_url: "s", state: "published", caption: "Hello", super_category_id: null,
  ai_summary_of_content: null, external_id: null, metadata: {}, check_after_seconds: null, ...fields,
});

function scene(/** @type {any} */ first, uuid = "u1") {
  const state = { video: first, error: /** @type {any} */ (null), asked: 0, told: /** @type {any[]} */ ([]) };
  const store = createVideoStore(uuid, {
    ask: async (_path, { etag } = {}) => {
      state.asked += 1;
      if (state.error) throw state.error;
      const tag = JSON.stringify(state.video);
      return { body: tag === etag ? null : state.video, etag: tag };
    },
    failureFrom: (error) => /** @type {any} */ (error),
    onStatus: (next) => state.told.push(next),
  });
  return { state, store };
}

test("a status is read until it is final, and each new one is told to the list", async () => {
  const { state, store } = scene(video({ state: "processing", check_after_seconds: 2 }));
  assert.equal(await store.load(), 2);
  assert.equal(await store.load(), 3);
  state.video = video();
  assert.equal(await store.load(), null);
  assert.deepEqual(state.told.map((one) => one.state), ["processing", "published"]);
});

test("a video that does not exist is not asked for again; after other failures the pause grows", async () => {
  const { state, store } = scene(video());
  state.error = { status: 503 };
  assert.deepEqual([await store.load(), await store.load()], [5, 10]);
  state.error = { status: 404 };
  assert.equal(await store.load(), null);
});

test("an action that answers with the status saves a request; another one reads it", async () => {
  const { state, store } = scene(video());
  await store.load();
  assert.equal(await store.act(async () => video({ caption: "New" })), null);
  assert.equal(store.video.value?.caption, "New");
  assert.equal(state.asked, 1);
  await store.act(async () => ({ success: true }));
  assert.equal(state.asked, 2);
});

test("after a conflict the state is read again and named", async () => {
  const { state, store } = scene(video({ state: "scheduled" }));
  await store.load();
  state.video = video();
  const failure = await store.act(() => Promise.reject({ status: 409, what: "x", next: "y" }));
  assert.match(failure?.what ?? "", /“Published”/);
  assert.equal(store.video.value?.state, "published");
});

test("a rejected appeal request keeps its own explanation, and the state is read again", async () => {
  const { state, store } = scene(video({ state: "rejected", can_appeal_until_unix: 9 }));
  await store.load();
  state.video = video({ state: "rejected", can_appeal_until_unix: null });
  const failure = await store.act(() => Promise.reject({ status: 409, code: "appeal_not_possible", what: "x" }));
  assert.equal(failure?.what, "x");
  assert.equal(store.video.value?.can_appeal_until_unix, null);
});

test("a label that a moderator has set keeps its explanation, and the status shows who set it", async () => {
  const { state, store } = scene(video({ is_sensitive: true, moderator_labels: [] }));
  await store.load();
  state.video = video({ is_sensitive: true, moderator_labels: ["is_sensitive"] });
  const refused = { status: 409, code: "content_label_locked", field: "is_sensitive", what: "x" };
  assert.deepEqual(await store.act(() => Promise.reject(refused)), refused);
  assert.deepEqual(store.video.value?.moderator_labels, ["is_sensitive"]);
});

test("edits outlive the page and new statuses, and end when they are undone", async () => {
  const { store } = scene(video(), "u2");
  await store.load();
  store.edit({ caption: "Edited" });
  const { store: back } = scene(video({ external_id: "7" }), "u2");
  await back.load();
  assert.deepEqual(back.edits.value, { caption: "Edited" });
  back.undo();
  assert.deepEqual(back.edits.value, {});
});
