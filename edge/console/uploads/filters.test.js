import assert from "node:assert/strict";
import { test } from "node:test";
import { hasFilters, listQuery, NO_FILTERS, readFilters, startOfDay, writeFilters } from "./filters.js";

test("filters survive the way through the address", () => {
  const filters = { state: "failed", external_id: "a b&c=ü", from: "2026-11-01", until: "2026-11-28" };
  assert.deepEqual(readFilters(writeFilters(filters)), filters);
});

test("no filters leave no trace in the address", () => {
  assert.equal(writeFilters(NO_FILTERS), "");
  assert.deepEqual(readFilters(""), NO_FILTERS);
  assert.equal(hasFilters(NO_FILTERS), false);
  assert.equal(hasFilters({ ...NO_FILTERS, until: "2026-01-01" }), true);
});

test("values that no filter can have are ignored", () => {
  assert.deepEqual(readFilters("?state=bogus&from=yesterday&until=2026-02-31&x=1"), NO_FILTERS);
  assert.equal(readFilters(`?external_id=${"ä".repeat(200)}`).external_id.length, 128);
});

test("both days are included", () => {
  const day = "2026-11-28";
  const query = new URLSearchParams(listQuery({ ...NO_FILTERS, from: day, until: day }, { limit: 50 }));
  const length = Number(query.get("created_until_unix")) - Number(query.get("created_from_unix"));
  assert.equal(length, 24 * 60 * 60);
});

test("a request repeats the filters with the cursor", () => {
  const query = listQuery({ ...NO_FILTERS, state: "failed" }, { limit: 50, cursor: "n" });
  assert.equal(query, "limit=50&state=failed&cursor=n");
});

test("a day that does not exist is no day", () => {
  const texts = ["2026-13-01", "2026-00-10", "2026-02-30", "26-1-1", ""];
  for (const text of texts) assert.equal(startOfDay(text), null, text);
});
