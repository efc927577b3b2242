// The list of uploads as the page holds it. It outlives the page's views, so that the way back from a video leads to
// the same rows at the same place.

import { batch, computed, signal } from "@preact/signals";
import { RequestFailed } from "../api.js";
import { listQuery, NO_FILTERS, writeFilters } from "./filters.js";
import { appendPage, insertFresh, mergeNewest, removeRow, replaceRow } from "./rows.js";

/** @typedef {import("./video-rules.js").Video} Video */
/** @typedef {import("./filters.js").Filters} Filters */
/** @typedef {{ uploads: Video[], next_cursor: string | null }} Page */

/**
 * Asks the API. Returns null for the body if nothing has changed since `etag`; throws if the request failed.
 * @typedef {(path: string, options?: { etag?: string | null }) => Promise<{ body: any, etag: string | null }>} Ask
 */

/** The most that the service sends at once: whoever scrolls through thousands meets the limit of requests later. */
const PAGE_LENGTH = 100;
/** The newest videos are asked for again and again, so there are fewer of them. */
const NEWEST_LENGTH = 20;
/** Older rows whose status is asked for in one round. */
const MAX_OLDER_ROWS = 4;
/** The list waits this long by itself. If it takes longer, the reader decides. */
const MAX_WAIT_SECONDS = 60;

/** @param {number} seconds */
const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

/** @param {Ask} ask @param {(seconds: number) => Promise<unknown>} [wait] */
export function createListStore(ask, wait = sleep) {
  const rows = signal(/** @type {Video[]} */ ([]));
  const fresh = signal(/** @type {Video[]} */ ([]));
  const hasGap = signal(false);
  const filters = signal(/** @type {Filters | null} */ (null));
  const nextCursor = signal(/** @type {string | null} */ (null));
  const isLoading = signal(false);
  const hasLoaded = signal(false);
  const failure = signal(/** @type {unknown} */ (null));
  /** Whether the next page waits because there were too many requests. */
  const isWaiting = signal(false);
  /** Each start of the list has a number, so that a late answer to an earlier one is ignored. */
  let round = 0;
  /** @type {string | null} */
  let newestTag = null;
  /** @type {Map<string, { at: number, tag: string | null }>} */
  const asked = new Map();

  /** Loads the list from its start. */
  async function reload() {
    round += 1;
    newestTag = null;
    asked.clear();
    batch(() => {
      [rows.value, fresh.value, hasGap.value, nextCursor.value] = [[], [], false, null];
      [hasLoaded.value, failure.value, isLoading.value] = [false, null, false];
    });
    await load();
  }

  /**
   * Shows the list with these filters. The rows stay if it has them already.
   * @param {Filters} wanted
   */
  async function open(wanted) {
    const isSame = filters.value !== null && writeFilters(filters.value) === writeFilters(wanted);
    if (isSame && (hasLoaded.value || isLoading.value)) return;
    filters.value = wanted;
    await reload();
  }

  /** Loads the next page, or again the one that failed. */
  async function load() {
    if (isLoading.value || (hasLoaded.value && nextCursor.value === null)) return;
    const mine = round;
    [isLoading.value, failure.value] = [true, null];
    try {
      const query = listQuery(filters.value ?? NO_FILTERS, { limit: PAGE_LENGTH, cursor: nextCursor.value });
      const { body } = await askInTime(`uploads?${query}`, () => mine === round);
      if (mine !== round) return;
      batch(() => {
        rows.value = appendPage(rows.value, body.uploads);
        nextCursor.value = body.next_cursor;
        hasLoaded.value = true;
      });
    } catch (error) {
      if (mine === round) failure.value = error;
    } finally {
      if (mine === round) isLoading.value = false;
    }
  }

  /**
   * Asks for a page. If there were too many requests, waits as long as the service says, and asks again.
   * @param {string} path
   * @param {() => boolean} isWanted Whether the page is still worth asking for.
   */
  async function askInTime(path, isWanted) {
    for (;;) {
      try {
        return await ask(path);
      } catch (error) {
        const seconds = waitAfter(error);
        if (seconds === null) throw error;
        isWaiting.value = true;
        await wait(seconds);
        isWaiting.value = false;
        if (!isWanted()) throw error;
      }
    }
  }

  /**
   * Asks for news, and returns whether there was any.
   * @param {Video[]} inView The rows that somebody sees.
   * @param {number} nowSeconds
   */
  async function refresh(inView, nowSeconds) {
    if (!hasLoaded.value) return false;
    const mine = round;
    const query = listQuery(filters.value ?? NO_FILTERS, { limit: NEWEST_LENGTH });
    const { body, etag } = await ask(`uploads?${query}`, { etag: newestTag });
    if (mine !== round) return false;
    newestTag = etag ?? newestTag;
    const missing = body ? takeNews(body) : [];
    const older = inView.filter((video) => isDue(video, nowSeconds)).map((video) => video.content_uuid);
    const wanted = [...missing.filter((uuid) => !asked.has(uuid)), ...older].slice(0, MAX_OLDER_ROWS);
    // A row that cannot be read stays as it is: the others are still worth showing.
    const changes = await Promise.allSettled(wanted.map((uuid) => refreshRow(uuid, nowSeconds)));
    return body !== null || changes.some((change) => change.status === "fulfilled" && change.value);
  }

  /** @param {Page} page */
  function takeNews(page) {
    const news = mergeNewest(rows.value, page);
    batch(() => {
      rows.value = news.rows;
      fresh.value = news.fresh;
      hasGap.value = news.hasGap;
    });
    return news.missing;
  }

  /**
   * Whether a row beyond the newest page may have changed.
   * @param {Video} video
   * @param {number} nowSeconds
   */
  function isDue(video, nowSeconds) {
    const isNewest = rows.value.indexOf(video) < NEWEST_LENGTH - fresh.value.length;
    if (isNewest || video.state !== "processing" || video.check_after_seconds === null) return false;
    const last = asked.get(video.content_uuid)?.at ?? 0;
    return nowSeconds >= last + Math.min(video.check_after_seconds, 30);
  }

  /**
   * @param {string} uuid
   * @param {number} nowSeconds
   */
  async function refreshRow(uuid, nowSeconds) {
    const tag = asked.get(uuid)?.tag ?? null;
    asked.set(uuid, { at: nowSeconds, tag });
    const { body, etag } = await ask(`upload_status?content_uuid=${uuid}`, { etag: tag });
    asked.set(uuid, { at: nowSeconds, tag: etag ?? tag });
    if (body) put(body);
    return body !== null;
  }

  /** Puts the new videos on top; the whole list anew if some of them are not known yet. */
  async function showFresh() {
    if (hasGap.value) return reload();
    batch(() => {
      rows.value = insertFresh(rows.value, fresh.value);
      fresh.value = [];
    });
  }

  /**
   * Shows a video's new status in its row.
   * @param {Video} video
   */
  function put(video) {
    rows.value = replaceRow(rows.value, video);
  }

  /** @param {string} uuid */
  function remove(uuid) {
    batch(() => {
      rows.value = removeRow(rows.value, uuid);
      fresh.value = removeRow(fresh.value, uuid);
    });
  }

  const isAtEnd = computed(() => hasLoaded.value && nextCursor.value === null);
  const state = { rows, fresh, hasGap, filters, isLoading, isWaiting, hasLoaded, isAtEnd, failure };
  return { ...state, open, load, reload, refresh, showFresh, put, remove };
}

/**
 * Returns the seconds after which a request that failed may be sent again by itself, or null.
 * @param {unknown} error
 */
function waitAfter(error) {
  if (!(error instanceof RequestFailed) || error.failure.kind !== "limited") return null;
  const seconds = error.failure.retryAfter;
  return seconds !== null && seconds <= MAX_WAIT_SECONDS ? seconds : null;
}

/** @typedef {ReturnType<typeof createListStore>} ListStore */
