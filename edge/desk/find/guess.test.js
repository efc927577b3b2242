import assert from "node:assert/strict";
import { test } from "node:test";
import { guess } from "./guess.js";

const cases = {
  "https://www.clipgate.example/meme/a-clip-x1": "page", "/meme/a-clip-x1": "page",
  "www.clipgate.example/embed/x": "page",
  "5E0D8DDA-2B5A-4A3C-9BBB-1F4D24F3B0D7": "content_uuid", " 7 ": "channel", "#12": "channel", "channel 12": "channel",
  "aB3.mp4": "media_name", "a-clip-x1": "slug", "أغنية-x1": "slug",
};

for (const [text, by] of Object.entries(cases)) {
  test(`"${text}" is a ${by}`, () => assert.equal(guess(text).by, by));
}

test("the value is what the service expects", () => {
  assert.equal(guess("channel #12").value, "12");
  assert.equal(guess("5E0D8DDA-2B5A-4A3C-9BBB-1F4D24F3B0D7").value, "5e0d8dda-2b5a-4a3c-9bbb-1f4d24f3b0d7");
});
