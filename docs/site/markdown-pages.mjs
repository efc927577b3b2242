// Each page as Markdown beside its HTML, and `llms.txt`, the list of the pages for programs that read Markdown.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DOORS, HOME } from "./pages.mjs";
import { resolveLink } from "./links.mjs";

const FENCED = /(^```[\s\S]*?^```$)/m;

// Links of a document become addresses of the site. A link to a file that is not on the site becomes its text.
function withSiteLinks(source, text) {
  const rewrite = (prose) =>
    prose.replace(/(!?)\[([^\]]+)\]\(([^)\s]+)\)/g, (_whole, image, label, link) => {
      if (image) return `![${label}](${link.replace(/^site\/assets\//, "/docs/")})`;
      const url = resolveLink(source, link);
      return url ? `[${label}](${url})` : label;
    });
  return text.split(FENCED).map((part) => (part.startsWith("```") ? part : rewrite(part))).join("");
}

function ofError({ code, status, advice, isOfVideo }) {
  const parts = [`# ${code}`, advice];
  if (status) parts.push(`HTTP status: ${status}.`);
  if (isOfVideo) parts.push("The status of a video can have this code too.");
  return parts.join("\n\n");
}

function ofErrors(title, errors) {
  const rows = errors.map(({ code, status, advice }) => `| [\`${code}\`](/docs/errors/${code}) | ${status ?? ""} | ${advice} |`);
  return [`# ${title}`, ["| Code | Status | What to do |", "|---|---|---|", ...rows].join("\n")].join("\n\n");
}

function ofFields(rows) {
  const lines = rows.map(({ name, type, isRequired, description }) => {
    const text = description.replace(/\s+/g, " ").replaceAll("|", "\\|");
    return `| \`${name}\` | ${type}${isRequired ? ", required" : ""} | ${text} |`;
  });
  return ["| Name | Type | Description |", "|---|---|---|", ...lines].join("\n");
}

function ofOperation({ id, method, path, summary, description, parameters, bodies, responses }) {
  const parts = [`## ${id}`, `\`${method} ${path}\``, summary, description];
  if (parameters.length) parts.push("Parameters:", ofFields(parameters));
  for (const body of bodies) if (body.fields.length) parts.push(`Body (\`${body.type}\`):`, ofFields(body.fields));
  for (const { status, codes, description, bodies } of responses) {
    parts.push(`${status}: ${codes.length ? codes.map((code) => `\`${code}\``).join(", ") : description}`);
    for (const { examples } of bodies.filter(() => status < "300")) {
      for (const { value } of examples) parts.push("```json\n" + JSON.stringify(value, null, 2) + "\n```");
    }
  }
  return parts.filter(Boolean).join("\n\n");
}

// Returns a page as Markdown.
export function markdownOf({ source, title, text, data }) {
  if (text) return withSiteLinks(source, text);
  if (data.error) return `${ofError(data.error)}\n`;
  if (data.errors) return `${ofErrors(title, data.errors)}\n`;
  return `${[`# ${title}`, data.page_of.description, ...data.page_of.operations.map(ofOperation)].filter(Boolean).join("\n\n")}\n`;
}

export function writeMarkdown(output, url, text) {
  const file = path.join(output, `${url === HOME.url ? "/index" : url.slice("/docs".length)}.md`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

// The purpose of a page is its first paragraph.
const purpose = ({ text }) => (text?.split(/\n{2,}/)[1] ?? "").replace(/\s+/g, " ").replace(/\[([^\]]+)\]\([^)]+\)/g, "$1");

// Returns the list of the pages, in the form of llmstxt.org.
export function llmsText(pages) {
  const parts = [
    "# Clipgate",
    "> Publish short videos from your code: an HTTP API to upload, follow and manage them. Each page is Markdown, and " +
      "/openapi.json describes every operation.",
  ];
  for (const { title } of DOORS) {
    const listed = pages.filter((page) => page.door === title && page.section);
    const lines = listed.map((page) => `- [${page.title}](${page.url}.md)${purpose(page) ? `: ${purpose(page)}` : ""}`);
    parts.push(`## ${title}`, lines.join("\n"));
  }
  return `${parts.join("\n\n")}\n`;
}
