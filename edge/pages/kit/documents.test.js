import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

test("each link to the documentation leads to a page", () => {
  const [edge, docs] = ["../../", "../../../docs/"].map((folder) => new URL(folder, import.meta.url));
  const views = ["console", "desk", "pages"].flatMap((page) =>
    readdirSync(new URL(page, edge), { recursive: true }).map((name) => `${page}/${name}`)
      .filter((name) => /\.jsx$/.test(name)));
  const links = views.flatMap((name) => {
    const text = readFileSync(new URL(name, edge), "utf8");
    return [...text.matchAll(/\}\/docs\/([\w/-]*[\w-])/g)].map(([, page]) => ({ name, page }));
  });
  assert.ok(links.length > 3, `${links.length} links`);
  // The page of an error is made from the list of all errors.
  for (const { name, page } of links) {
    const file = page.replace(/^errors(\/.*)?$/, "errors");
    assert.ok(existsSync(new URL(`${file}.md`, docs)), `${name}: /docs/${page}`);
  }
});
