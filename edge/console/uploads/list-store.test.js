import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestFailed } from "../api.js";
import { failureOfResponse } from "../../pages/kit/failures.js";
import { NO_FILTERS } from "./filters.js";
import { createListStore } from "./list-store.js";

/** @returns {any} */
const video = (/** @type {number} */ id, fields = {}) =>
  ({ content_id: id, content_uuid: `u${id}`, state: "published", check_after_seconds: null, ...fields });

/** @param {string | null} retryAfter In seconds. */
const tooMany = (retryAfter) =>
  new RequestFailed(failureOfResponse(429, () => retryAfter, { error_message_code: "rate_limited" }));

/** A service with these videos, newest first. `fail` makes requests fail; `failures` are thrown one by one. */
function service(/** @type {any[]} */ videos) {
  const state = {
    videos, fail: false, failures: /** @type {Error[]} */ ([]), paths: /** @type {string[]} */ ([]),
    waits: /** @type {number[]} */ ([]), whileWaiting: () => {},
  };
  /** @type {import("./list-store.js").Ask} */
  const ask = async (path, { etag } = {}) => {
    state.paths.push(path);
    if (state.fail) throw new Error("offline");
    const failure = state.failures.shift();
    if (failure) throw failure;
    const query = new URLSearchParams(path.split("?")[1]);
    const start = Number(query.get("cursor") ?? 0);
    const end = start + Number(query.get("limit"));
    const uuid = query.get("content_uuid");
    const body = uuid
      ? state.videos.find((one) => one.content_uuid === uuid)
      : { uploads: state.videos.slice(start, end), next_cursor: end < state.videos.length ? String(end) : null };
    const tag = JSON.stringify(body);
    return { body: tag === etag ? null : body, etag: tag };
  };
  const wait = async (/** @type {number} */ seconds) => {
    state.waits.push(seconds);
    await state.whileWaiting();
  };
  return { state, store: createListStore(ask, wait) };
}
const many = (/** @type {number} */ count) => Array.from({ length: count }, (_, at) => video(count - at));
const ids = (/** @type {any} */ store) => store.rows.value.map((/** @type {any} */ row) => row.content_id);

test("pages are loaded one after the other until the end", async () => {
  const { state, store } = service(many(220));
  await store.open(NO_FILTERS);
  assert.deepEqual([store.rows.value.length, store.isAtEnd.value], [100, false]);
  await store.load();
  await store.load();
  await store.load();
  assert.deepEqual([store.rows.value.length, store.isAtEnd.value, state.paths.length], [220, true, 3]);
});

test("opening the same list again keeps its rows; other filters start anew", async () => {
  const { state, store } = service(many(220));
  await store.open(NO_FILTERS);
  await store.load();
  await store.open({ ...NO_FILTERS });
  assert.deepEqual([store.rows.value.length, state.paths.length], [200, 2]);
  await store.open({ ...NO_FILTERS, state: "failed" });
  assert.match(state.paths[2], /state=failed/);
  assert.equal(store.rows.value.length, 100);
});

test("a failure in the middle keeps the rows, and the same page is loaded again", async () => {
  const { state, store } = service(many(130));
  await store.open(NO_FILTERS);
  state.fail = true;
  await store.load();
  assert.equal(store.rows.value.length, 100);
  assert.ok(store.failure.value);
  state.fail = false;
  await store.load();
  assert.deepEqual([store.rows.value.length, store.failure.value], [130, null]);
});

test("after too many requests the list waits as long as it is told, and goes on by itself", async () => {
  const { state, store } = service(many(130));
  await store.open(NO_FILTERS);
  state.failures = [tooMany("7"), tooMany("3")];
  const seen = /** @type {boolean[]} */ ([]);
  state.whileWaiting = () => void seen.push(store.isWaiting.value, store.isLoading.value);
  await store.load();
  assert.deepEqual([state.waits, seen], [[7, 3], [true, true, true, true]]);
  assert.deepEqual([store.rows.value.length, store.failure.value, store.isWaiting.value], [130, null, false]);
});

test("the list does not wait for minutes, or without being told how long", async () => {
  for (const failure of [tooMany("600"), tooMany(null)]) {
    const { state, store } = service(many(130));
    state.failures = [failure];
    await store.open(NO_FILTERS);
    assert.deepEqual([state.waits, store.failure.value], [[], failure]);
  }
});

test("other filters end the wait", async () => {
  const { state, store } = service(many(130));
  state.failures = [tooMany("7")];
  state.whileWaiting = () => store.open({ ...NO_FILTERS, state: "failed" });
  await store.open(NO_FILTERS);
  assert.equal(state.paths.length, 2);
  assert.deepEqual([store.rows.value.length, store.failure.value], [100, null]);
});

test("an answer to earlier filters is ignored", async () => {
  const { store } = service(many(3));
  const first = store.open(NO_FILTERS);
  await Promise.all([first, store.open({ ...NO_FILTERS, state: "failed" })]);
  assert.equal(store.rows.value.length, 3);
  assert.equal(store.isLoading.value, false);
});

test("new videos wait until they are shown, and states change in their places", async () => {
  const { state, store } = service([video(2, { state: "processing", check_after_seconds: 2 }), video(1)]);
  await store.open(NO_FILTERS);
  await store.refresh([], 100);
  assert.equal(await store.refresh([], 102), false);
  state.videos = [video(3), video(2), video(1)];
  assert.equal(await store.refresh([], 104), true);
  assert.deepEqual(ids(store), [2, 1]);
  assert.equal(store.rows.value[0].state, "published");
  assert.equal(store.fresh.value.length, 1);
  await store.showFresh();
  assert.deepEqual([ids(store), store.fresh.value.length], [[3, 2, 1], 0]);
});

test("a row that was deleted elsewhere stays in its place and says so", async () => {
  const { state, store } = service(many(3));
  await store.open(NO_FILTERS);
  const deleted = video(2, { state: "deleted" });
  const ask = state.videos;
  state.videos = [ask[0], ask[2]];
  const find = state.videos.find.bind(state.videos);
  state.videos.find = /** @type {any} */ ((/** @type {any} */ is) => (is(deleted) ? deleted : find(is)));
  await store.refresh([], 100);
  assert.deepEqual(ids(store), [3, 2, 1]);
  assert.equal(store.rows.value[1].state, "deleted");
});

test("an older row that is in view and processing is asked for by itself", async () => {
  const videos = many(60);
  videos[40] = video(20, { state: "processing", check_after_seconds: 5 });
  const { state, store } = service(videos);
  await store.open(NO_FILTERS);
  await store.refresh(store.rows.value.slice(35, 45), 100);
  await store.refresh(store.rows.value.slice(35, 45), 102);
  assert.equal(state.paths.filter((path) => path.includes("u20")).length, 1);
  state.videos = videos.map((one) => (one.content_id === 20 ? video(20) : one));
  await store.refresh(store.rows.value.slice(35, 45), 106);
  assert.equal(store.rows.value[40].state, "published");
});

test("after a long absence the list begins anew", async () => {
  const { state, store } = service(many(30));
  await store.open(NO_FILTERS);
  state.videos = many(90);
  await store.refresh([], 100);
  assert.equal(store.hasGap.value, true);
  await store.showFresh();
  assert.deepEqual([store.rows.value[0].content_id, store.rows.value.length, store.hasGap.value], [90, 90, false]);
});

test("a deleted video leaves the list", async () => {
  const { store } = service(many(3));
  await store.open(NO_FILTERS);
  store.remove("u2");
  assert.deepEqual(ids(store), [3, 1]);
});
