// Each operation that a guide calls shows the guide's sample.
import assert from "node:assert/strict";
import test from "node:test";
import { callsOf, isCallOf, readSamples, sampleOf } from "./operation-samples.mjs";

const block = (info, text) => `\`\`\`${info}\n${text}\n\`\`\`\n`;
const call = (path, more = "") => `curl -sS "$CLIPGATE${path}"${more}`;
const guide = (title, text, section = "Upload") => ({ title, url: `/docs/${title}`, section, text });
const list = { id: "list_videos", method: "GET", path: "/videos" };

test("a curl line has a method and a path", () => {
  assert.deepEqual(callsOf(call("/videos?limit=2", " -H 'A: b'")), [{ method: "GET", path: "/videos" }]);
  assert.deepEqual(callsOf(call("/videos", " \\\n  -F file=@clip.mp4")), [{ method: "POST", path: "/videos" }]);
  assert.deepEqual(callsOf(call("/videos", " -d '{}'")), [{ method: "POST", path: "/videos" }]);
  assert.deepEqual(callsOf(call("/videos", " --json '{}'")), [{ method: "POST", path: "/videos" }]);
  assert.deepEqual(callsOf(`curl -sS -X DELETE "$CLIPGATE/videos/$ID"`), [{ method: "DELETE", path: "/videos/$ID" }]);
  assert.deepEqual(callsOf("echo hello"), []);
});

test("a sample may call several operations", () => {
  const text = `LOCATION=$(${call("/uploads", " -X POST")} | sed x)\ncurl -X PATCH "$CLIPGATE$LOCATION" --data-binary @clip.mp4`;
  assert.deepEqual(callsOf(text), [{ method: "POST", path: "/uploads" }, { method: "PATCH", path: "$LOCATION" }]);
});

test("a variable stands for a parameter of the path", () => {
  const operation = { method: "GET", path: "/videos/{id}" };
  assert.ok(isCallOf({ method: "GET", path: "/videos/$ID" }, operation));
  assert.ok(!isCallOf({ method: "DELETE", path: "/videos/$ID" }, operation));
  assert.ok(!isCallOf({ method: "GET", path: "/videos" }, operation));
  assert.ok(!isCallOf({ method: "GET", path: "/videos/recent" }, operation));
  assert.ok(isCallOf({ method: "PATCH", path: "$LOCATION" }, { method: "PATCH", path: "/uploads/{location}" }));
});

test("the sample has all languages of its group, with the marks of the guide", () => {
  const text = [block("sh", call("/videos")), block("js sample", "x()"), block("sh clipgate", "clipgate list")].join("\n");
  const { markdown } = sampleOf(list, readSamples([guide("find", text)]));
  assert.equal(markdown, text);
});

test("the guide whose first task it is comes first, and a tutorial last", () => {
  const first = block("sh", call("/videos"));
  const second = [block("sh", call("/limits")), "Then:\n", first].join("\n");
  const samples = readSamples([guide("quick-start", first, "Start"), guide("limits", second), guide("find", first)]);
  const { guide: best, others } = sampleOf(list, samples);
  assert.equal(best.title, "find");
  assert.deepEqual(others.map(({ title }) => title), ["quick-start", "limits"]);
});

test("a guide that is found by the words of the operation comes first", () => {
  const sample = block("sh", call("/videos"));
  const guides = [guide("moderation", sample), { ...guide("find", sample), keywords: "list page" }];
  assert.equal(sampleOf(list, readSamples(guides)).guide.title, "find");
});

test("a sample that shows a failure comes after all others", () => {
  const failing = guide("errors", block("sh expect=content_not_found", call("/videos")));
  const working = guide("find", [block("sh", call("/limits")), "Then:\n", block("sh", call("/videos"))].join("\n"));
  assert.equal(sampleOf(list, readSamples([failing, working])).guide.title, "find");
  assert.equal(sampleOf(list, readSamples([failing])).guide.title, "errors");
});

test("an operation that no guide calls has no sample", () => {
  assert.equal(sampleOf({ id: "upload_video", method: "POST", path: "/videos" }, readSamples([guide("find", block("sh", call("/videos")))])), null);
});
