// What readers search for finds its page first. The build runs this on the index that it made, in the folder $SITE.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import MiniSearch from "minisearch";
import { SEARCH_OPTIONS } from "./search-index.mjs";

const searches = JSON.parse(readFileSync(new URL("searches.json", import.meta.url), "utf8"));
const index = MiniSearch.loadJSON(readFileSync(`${process.env.SITE}/search-index.json`, "utf8"), SEARCH_OPTIONS);
const found = (text) => index.search(text).map(({ id }) => id);

for (const [text, page] of Object.entries(searches)) {
  test(`"${text}" finds ${page}`, () => assert.equal(found(text)[0], page, found(text).slice(0, 5).join(" ")));
}

test("an error code finds its page", () => {
  assert.equal(found("rate_limited")[0], "/docs/errors/rate_limited");
  assert.equal(found("upload_token_spent")[0], "/docs/errors/upload_token_spent");
});

test("an operation finds its page", () => {
  for (const operation of ["uploads/upload_video", "uploads/get_upload_status", "webhooks/send_events_again"]) {
    assert.equal(found(operation.split("/")[1])[0], `/docs/reference/${operation}`);
  }
});
