import assert from "node:assert/strict";
import { test } from "node:test";
import { guess, WAYS, wantedBy } from "./guess.js";

const HASH = "0badCAFE".repeat(8);

const cases = {
  "https://www.clipgate.example/meme/a-clip-x1": "page", "/meme/a-clip-x1": "page",
  "www.clipgate.example/embed/x": "page",
  "5E0D8DDA-2B5A-4A3C-9BBB-1F4D24F3B0D7": "content_uuid", " 7 ": "channel", "#12": "channel", "channel 12": "channel",
  [` ${HASH} `]: "sha256", [HASH.slice(1)]: "slug", ["1".repeat(64)]: "sha256",
  "aB3.mp4": "media_name", "a-clip-x1": "slug", "أغنية-x1": "slug",
};

for (const [text, by] of Object.entries(cases)) {
  test(`"${text}" is a ${by}`, () => assert.equal(guess(text).by, by));
}

test("the value is what the service expects", () => {
  assert.equal(guess("channel #12").value, "12");
  assert.equal(guess("5E0D8DDA-2B5A-4A3C-9BBB-1F4D24F3B0D7").value, "5e0d8dda-2b5a-4a3c-9bbb-1f4d24f3b0d7");
});

test("what was chosen counts more than the form", () => {
  assert.deepEqual(wantedBy(HASH, ""), { by: "sha256", value: HASH.toLowerCase() });
  assert.deepEqual(wantedBy(` ${HASH}`, "blocked_hash"), { by: "blocked_hash", value: HASH.toLowerCase() });
  assert.deepEqual(wantedBy("channel 12", "channel"), { by: "channel", value: "12" });
  assert.deepEqual(wantedBy("12", "slug"), { by: "slug", value: "12" });
  assert.deepEqual(wantedBy("A-Clip-x1", "no way"), { by: "slug", value: "A-Clip-x1" });
});

test("every way has its own label and its own words", () => {
  for (const name of ["value", "label", "phrase"]) assert.equal(new Set(WAYS.map((way) => way[name])).size, WAYS.length);
});
