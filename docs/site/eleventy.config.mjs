// Builds the documentation site (`make site`): the Markdown documents, the reference from the descriptions of the API, a
// page for each error code, and the index of the search. A link that leads nowhere fails the build.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import markdownIt from "markdown-it";
import markdownItAnchor from "markdown-it-anchor";
import MiniSearch from "minisearch";
import { operationsWith, readErrors } from "./errors.mjs";
import { checkLinks, siteLinks } from "./links.mjs";
import { DECISIONS, DESCRIPTIONS, ERRORS, FILES, SECTIONS } from "./pages.mjs";
import { readDescription } from "./reference.mjs";
import { SEARCH_OPTIONS, searchEntry } from "./search-index.mjs";

const read = (file) => readFileSync(file, "utf8");

// Returns the text of the first heading without its marks.
const heading = (markdown) => markdown.match(/^# (.+)$/m)[1].replaceAll("`", "");

// GitHub's rule for the anchors of headings, which the links in the documents follow.
const slugify = (text) => text.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");

// Wide tables and code scroll by themselves. The focus lets the keyboard scroll them.
function scrollable(rules) {
  const fence = rules.fence;
  rules.table_open = (_tokens, _index, _options, env) => {
    env.tables = (env.tables ?? 0) + 1;
    return `<div class="table" tabindex="0" role="region" aria-label="Table ${env.tables}">\n<table>\n`;
  };
  rules.table_close = () => "</table>\n</div>\n";
  rules.fence = (...args) => fence(...args).replace("<pre>", '<pre tabindex="0">');
}

export default function (eleventy) {
  eleventy.setQuietMode(true);
  const markdown = markdownIt({ html: false }).use(markdownItAnchor, { slugify, tabIndex: false }).use(siteLinks);
  scrollable(markdown.renderer.rules);
  eleventy.setLibrary("md", markdown);
  eleventy.addFilter("markdown", (text) => markdown.render(text ?? ""));
  eleventy.addFilter("inlineMarkdown", (text) => markdown.renderInline(text ?? ""));
  eleventy.addFilter("json", (value) => JSON.stringify(value, null, 2));

  const add = (page, content, data = {}) =>
    eleventy.addTemplate(`page${page.url}.md`, content, {
      layout: "page.njk", title: page.title, url: page.url, permalink: `${page.url.slice("/docs".length) || "/index"}.html`, ...data,
    });
  const menu = [];

  for (const section of SECTIONS) {
    const pages = section.pages.map((page) => ({ ...page, title: heading(read(page.source)) }));
    menu.push({ title: section.title, pages });
    for (const { layout = "page.njk", ...page } of pages) add(page, read(page.source), { source: page.source, layout });
  }
  for (const page of DECISIONS) add({ ...page, title: heading(read(page.source)) }, read(page.source), { source: page.source });

  const descriptions = DESCRIPTIONS.map((one) => ({ ...one, pages: readDescription(JSON.parse(read(one.source)), one.url) }));
  for (const { title, pages } of descriptions) {
    menu.push({ title, pages });
    for (const page of pages) add(page, "", { layout: "operations.njk", page_of: page });
  }

  const operations = descriptions.flatMap(({ pages }) => pages.flatMap((page) => page.operations));
  const errors = readErrors(read(ERRORS.source));
  add({ url: ERRORS.url, title: "Error codes" }, "", { layout: "errors.njk", errors });
  menu[0].pages.push({ url: ERRORS.url, title: "Error codes" });
  for (const error of errors) {
    const page = { url: `${ERRORS.url}/${error.code}`, title: error.code };
    add(page, "", { layout: "error.njk", error, operations: operationsWith(error.code, operations) });
  }

  add({ url: "/docs", title: "Documentation" }, read("docs/site/index.md"), { source: "docs/site/index.md" });
  eleventy.addGlobalData("menu", menu);
  eleventy.addGlobalData("layout", "page.njk");
  eleventy.addPassthroughCopy({ "docs/site/assets": "/" });
  for (const [file, url] of Object.entries(FILES)) {
    if (url.startsWith("/docs/")) eleventy.addPassthroughCopy({ [file]: url.slice("/docs".length) });
  }

  eleventy.on("eleventy.after", ({ directories, results }) => {
    const pages = new Map(results.map(({ url, content }) => [`/docs${url.replace(/\.html$/, "").replace(/\/$/, "")}`, content]));
    const assets = readdirSync("docs/site/assets").map((name) => `/docs/${name}`);
    checkLinks(pages, new Set([...Object.values(FILES), ...assets, "/", "/favicon.svg", "/docs/search.js", "/docs/try.js"]));
    const index = new MiniSearch(SEARCH_OPTIONS);
    index.addAll([...pages].map(([url, html]) => searchEntry(url, html)));
    writeFileSync(`${directories.output}/search-index.json`, JSON.stringify(index));
    execFileSync("node_modules/.bin/esbuild", [
      "docs/site/search.mjs", "docs/site/try.mjs", `--outdir=${directories.output}`, "--bundle", "--minify", "--format=esm",
      "--platform=browser", "--target=es2022", "--log-level=warning",
    ], { stdio: "inherit" });
  });

  return {
    dir: { input: "docs/site/pages", includes: "../layouts" },
    markdownTemplateEngine: false,
    htmlTemplateEngine: false,
  };
}
