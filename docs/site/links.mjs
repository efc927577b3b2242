// Links between the files of the repository, as links between the pages of the site.
import path from "node:path";
import { DECISIONS, DOORS, ERRORS, FILES, HOME } from "./pages.mjs";

const PAGES = Object.fromEntries(
  [HOME, ...DOORS.flatMap(({ sections }) => sections.flatMap(({ pages }) => pages)), ...DECISIONS, ERRORS].map(
    ({ source, url }) => [source, url],
  ),
);

// Returns the address of what a link in the file `source` points to, or null if that is not on the site.
export function resolveLink(source, link) {
  if (/^([a-z]+:|[#/])/.test(link)) return link;
  const [file, anchor] = link.split("#");
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(source), file));
  const url = FILES[target] ?? PAGES[target];
  return url ? url + (anchor ? `#${anchor}` : "") : null;
}

// A plugin of markdown-it. A link to a file that is not on the site becomes plain text.
export function siteLinks(markdown) {
  markdown.core.ruler.push("site_links", ({ tokens, env }) => {
    for (const { children } of tokens) rewrite(children ?? [], env.source);
  });
}

function rewrite(tokens, source) {
  let dropped = false;
  for (const token of tokens) {
    if (token.type === "link_open" && source) {
      const url = resolveLink(source, token.attrGet("href"));
      dropped = url === null;
      if (dropped) token.hidden = true;
      else token.attrSet("href", url);
    } else if (token.type === "image") {
      token.attrSet("src", token.attrGet("src").replace(/^site\/assets\//, "/docs/"));
    } else if (token.type === "link_close" && dropped) {
      token.hidden = true;
      dropped = false;
    }
  }
  // The inline renderer does not skip hidden tokens.
  for (const token of tokens.filter((token) => token.hidden)) Object.assign(token, { type: "text", content: "" });
}

// Fails with every link of the built pages that leads nowhere: `pages` has the HTML of each address.
export function checkLinks(pages, files) {
  const anchors = new Map();
  for (const [url, html] of pages) anchors.set(url, new Set([...html.matchAll(/ id="([^"]+)"/g)].map((match) => match[1])));
  const broken = [];
  for (const [url, html] of pages) {
    for (const [, link] of html.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [page, anchor] = link.startsWith("#") ? [url, link.slice(1)] : link.split("#");
      const exists = pages.has(page) ? !anchor || anchors.get(page).has(decodeURIComponent(anchor)) : files.has(page);
      if (!exists) broken.push(`${url}: ${link}`);
    }
  }
  if (broken.length) throw new Error(`links that lead nowhere:\n${broken.join("\n")}`);
}
