// Markdown as HTML.
import markdownIt from "markdown-it";
import markdownItAnchor from "markdown-it-anchor";
import { ERRORS } from "./pages.mjs";
import { siteLinks } from "./links.mjs";
import { sampleTabs } from "./samples.mjs";

// GitHub's rule for the anchors of headings, which the links in the documents follow.
const slugify = (text) => text.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");

// Returns a renderer. `codes` are the error codes.
export function renderer(codes) {
  const markdown = markdownIt({ html: false }).use(markdownItAnchor, { slugify, tabIndex: false }).use(siteLinks).use(sampleTabs);
  scrollable(markdown.renderer.rules);
  inlineCode(markdown.renderer.rules, codes);
  return markdown;
}

// Wide tables and code scroll by themselves. The focus lets the keyboard scroll them.
function scrollable(rules) {
  const fence = rules.fence;
  rules.table_open = (_tokens, _index, _options, env) => {
    env.tables = (env.tables ?? 0) + 1;
    return `<div class="table" tabindex="0" role="region" aria-label="Table ${env.tables}">\n<table>\n`;
  };
  rules.table_close = () => "</table>\n</div>\n";
  rules.fence = (...args) => `<div class="code">${fence(...args).replace("<pre>", '<pre tabindex="0">').trimEnd()}</div>\n`;
}

// A long name breaks after its underscores. An error code is a link to its page.
function inlineCode(rules, codes) {
  const inline = rules.code_inline;
  rules.code_inline = (tokens, index, ...rest) => {
    const html = inline(tokens, index, ...rest).replaceAll("_", "_<wbr>");
    const { content } = tokens[index];
    const isLinked = tokens.slice(0, index).filter(({ type }) => type.startsWith("link_")).at(-1)?.type === "link_open";
    return codes.has(content) && !isLinked ? `<a href="${ERRORS.url}/${content}">${html}</a>` : html;
  };
}

// Returns the HTML of a name or a path, which may break after its underscores, slashes and dots.
export const breakable = (text) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/[_/.](?=.)/g, "$&<wbr>");

// Returns the headings of a Markdown text for "On this page".
export function headingsOf(text, markdown) {
  const tokens = markdown.parse(text, {});
  return tokens.flatMap((token, index) =>
    token.type === "heading_open" && token.tag === "h2"
      ? [{ id: token.attrGet("id"), title: tokens[index + 1].content.replaceAll("`", "") }]
      : [],
  );
}
