// Blocks of code in several languages become one group with tabs, and each task of the API has all its languages.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { renderer } from "./renderer.mjs";
import { tabOf } from "./samples.mjs";

const markdown = renderer(new Set());
const block = (info, text = info) => `\`\`\`${info}\n${text}\n\`\`\`\n`;

// Returns the tabs of each group.
function groupsOf(...parts) {
  const [, ...groups] = markdown.render(parts.join("\n")).split('<div class="samples">');
  return groups.map((html) => [...html.matchAll(/data-tab="([^"]+)"/g)].map(([, tab]) => tab));
}

test("blocks in several languages that follow each other are one group", () => {
  const blocks = [block("sh"), block("js sample"), block("python sample expect=x"), block("sh clipgate")];
  assert.deepEqual(groupsOf(...blocks), [["curl", "JavaScript", "Python", "clipgate"]]);
});

test("text between blocks separates groups", () => {
  assert.deepEqual(groupsOf(block("sh"), block("js"), "Then:\n", block("sh"), block("python")), [
    ["curl", "JavaScript"],
    ["curl", "Python"],
  ]);
});

test("the second block of a language begins the next group", () => {
  assert.deepEqual(groupsOf(block("sh"), block("js"), block("sh"), block("js")), [
    ["curl", "JavaScript"],
    ["curl", "JavaScript"],
  ]);
});

test("a block alone, the set-up, a response and code for browsers have no tabs", () => {
  assert.deepEqual(groupsOf(block("sh")), []);
  assert.deepEqual(groupsOf(block("sh setup"), block("sh")), []);
  assert.deepEqual(groupsOf(block("sh"), block("json")), []);
  assert.deepEqual(groupsOf(block("sh"), block("js browser")), []);
});

test("a list item has its own group", () => {
  const item = `- Do it:\n\n${block("sh")}\n${block("js")}`.replace(/\n(?=.)/g, "\n  ");
  assert.deepEqual(groupsOf(item), [["curl", "JavaScript"]]);
});

test("each sample keeps its code and its language's name, and has an id of its own", () => {
  const html = markdown.render([block("sh", "curl a<b"), block("js", "x()"), "And:\n", block("sh"), block("js")].join("\n"));
  assert.match(html, /<p class="language">curl<\/p>\s*<div class="code"><pre tabindex="0"><code class="language-sh">curl a&lt;b\n/);
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(ids, ["sample-1-curl", "sample-1-javascript", "sample-2-curl", "sample-2-javascript"]);
});

const PAGES = readdirSync("docs/publish").map((name) => `docs/publish/${name}`);

for (const page of [...PAGES, "docs/site/index.md"]) {
  test(`${page}: each call with curl has the same in JavaScript and Python`, () => {
    const infos = [...readFileSync(page, "utf8").matchAll(/^```(\S.*)\n([\s\S]*?)^```$/gm)].map(([, info, text]) => ({
      tab: tabOf(info), text,
    }));
    infos.forEach(({ tab, text }, index) => {
      if (tab !== "curl" || !text.startsWith("curl ")) return;
      assert.deepEqual(infos.slice(index + 1, index + 3).map(({ tab }) => tab), ["JavaScript", "Python"], text);
    });
  });
}
