// Builds the documentation site (`make site`): the Markdown documents, the reference from the descriptions of the API, a
// page for each error code, each page as Markdown too, and the index of the search. A link that leads nowhere fails the
// build.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import MiniSearch from "minisearch";
import { groupErrors } from "./error-groups.mjs";
import { operationsWith, readErrors } from "./errors.mjs";
import { checkLinks } from "./links.mjs";
import { llmsText, markdownOf, writeMarkdown } from "./markdown-pages.mjs";
import { menuOf } from "./menu.mjs";
import { firstCall, readSamples, sampleOf } from "./operation-samples.mjs";
import { DECISIONS, DESCRIPTIONS, DOORS, ERRORS, FILES, HOME, INTERNAL_ERRORS } from "./pages.mjs";
import { publicCodes, readDescription } from "./reference.mjs";
import { breakable, headingsOf, renderer } from "./renderer.mjs";
import { SEARCH_OPTIONS, searchEntry } from "./search-index.mjs";

// Colours and sizes, which the console has too.
const TOKENS = "edge/pages/kit/tokens.css";

const SCRIPTS = ["chosen", "tabs", "search", "copy", "place", "try"];

const read = (file) => readFileSync(file, "utf8");

// Comments mark generated parts of a document.
const readPage = ({ source }) => read(source).replace(/<!--[\s\S]*?-->\n?/g, "");

// Returns the text of the first heading without its marks.
const heading = (markdown) => markdown.match(/^# (.+)$/m)[1].replaceAll("`", "");

// Returns all pages: their address, title, door, layout, and the data that the layout shows.
function allPages() {
  const written = DOORS.flatMap((door) =>
    door.sections.flatMap((section) => section.pages.map((page) => ({ ...page, door: door.title, section: section.title }))),
  );
  const decisions = DECISIONS.map((page) => ({ ...page, door: "Change it" }));
  const documents = [HOME, ...written, ...decisions].map((page) => {
    const text = readPage(page);
    return { ...page, title: page.title ?? heading(text), text };
  });
  const samples = readSamples(documents.filter(({ url }) => url.startsWith("/docs/publish/")));
  const descriptions = DESCRIPTIONS.map((one) => ({ ...one, document: JSON.parse(read(one.source)) }));
  const reference = descriptions.flatMap(({ title, door, url, document }) =>
    readDescription(document, url).flatMap((tag) => referencePages(tag, { title, door }, samples)),
  );
  return [...documents, ...errorPages(descriptions[0].document, reference), ...reference];
}

// Returns the page of a tag, and those of its operations, which the menu lists below it. They are in the order in which the
// guides call them.
function referencePages(tag, { title, door }, samples) {
  tag.operations.sort((one, other) => firstCall(one, samples) - firstCall(other, samples));
  const operations = tag.operations.map((operation) => ({
    url: operation.url, title: operation.title, door, parent: tag.url, label: title, layout: "operation.njk",
    keywords: `${operation.id} ${operation.method} ${operation.path}`,
    data: { tag, operation, sample: sampleOf(operation, samples) },
  }));
  return [{ url: tag.url, title: tag.title, door, section: title, label: title, layout: "tag.njk", data: { tag } }, ...operations];
}

// Returns the list of the error codes for each of the two doors, and a page for each code.
function errorPages(description, reference) {
  const operations = reference.flatMap(({ data }) => data.operation ?? []);
  const known = publicCodes(description);
  const errors = readErrors(read(ERRORS.source)).map((error) => ({ ...error, isInternal: !known.has(error.code) }));
  const list = (isInternal, url, title, door, section, keywords) => ({
    url, title, door, section, keywords, layout: "errors.njk",
    data: { isInternal, groups: groupErrors(errors.filter((error) => error.isInternal === isInternal)) },
  });
  return [
    list(false, ERRORS.url, "Error codes", "Publish videos", "Look up", "list of all errors"),
    list(true, INTERNAL_ERRORS.url, "Internal error codes", "Run it", "Operate", ""),
    ...errors.map((error) => ({
      url: `${ERRORS.url}/${error.code}`, title: error.code, door: error.isInternal ? "Run it" : "Publish videos",
      layout: "error.njk", data: { error, operations: operationsWith(error.code, operations) },
    })),
  ];
}

export default function (eleventy) {
  eleventy.setQuietMode(true);
  const pages = allPages();
  const advice = new Map(pages.flatMap(({ data }) => (data?.error ? [[data.error.code, data.error.advice]] : [])));
  const markdown = renderer(new Set(advice.keys()));
  eleventy.setLibrary("md", markdown);
  eleventy.addFilter("markdown", (text) => markdown.render(text ?? ""));
  eleventy.addFilter("inlineMarkdown", (text) => markdown.renderInline(text ?? ""));
  eleventy.addFilter("json", (value) => JSON.stringify(value, null, 2));
  eleventy.addFilter("advice", (code) => advice.get(code));
  eleventy.addFilter("breakable", breakable);
  eleventy.addFilter("orList", (texts) => new Intl.ListFormat("en", { type: "disjunction" }).format(texts));

  for (const page of pages) {
    const { url, source, title, layout = "page.njk", text = "", data = {} } = page;
    eleventy.addTemplate(`page${url}.md`, text, {
      layout, title, url, source, ...data, ...menuOf(page, pages),
      headings: data.groups ?? headingsOf(text, markdown),
      permalink: `${url.slice("/docs".length) || "/index"}.html`,
    });
  }
  eleventy.addGlobalData("layout", "page.njk");
  eleventy.addPassthroughCopy({ "docs/site/assets": "/", [TOKENS]: "/tokens.css" });
  for (const [file, url] of Object.entries(FILES)) {
    if (url.startsWith("/docs/")) eleventy.addPassthroughCopy({ [file]: url.slice("/docs".length) });
  }

  eleventy.on("eleventy.after", ({ directories, results }) => {
    const built = new Map(results.map(({ url, content }) => [`/docs${url.replace(/\.html$/, "").replace(/\/$/, "")}`, content]));
    const assets = readdirSync("docs/site/assets").map((name) => `/docs/${name}`);
    const scripts = SCRIPTS.map((name) => `/docs/${name}.js`);
    const twins = pages.map(({ url }) => `${url === HOME.url ? "/docs/index" : url}.md`);
    checkLinks(built, new Set([...Object.values(FILES), ...assets, ...scripts, ...twins, "/", "/favicon.svg", "/docs/tokens.css", "/docs/llms.txt"]));
    for (const page of pages) writeMarkdown(directories.output, page.url, markdownOf(page));
    writeFileSync(`${directories.output}/llms.txt`, llmsText(pages));
    const index = new MiniSearch(SEARCH_OPTIONS);
    index.addAll(pages.map((page) => searchEntry(page, built.get(page.url))));
    writeFileSync(`${directories.output}/search-index.json`, JSON.stringify(index));
    execFileSync("node_modules/.bin/esbuild", [
      ...SCRIPTS.map((name) => `docs/site/${name}.mjs`), `--outdir=${directories.output}`, "--bundle", "--minify", "--format=esm",
      "--platform=browser", "--target=es2022", "--log-level=warning",
    ], { stdio: "inherit" });
  });

  return {
    dir: { input: "docs/site/pages", includes: "../layouts" },
    markdownTemplateEngine: false,
    htmlTemplateEngine: false,
  };
}
