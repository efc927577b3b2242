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

function ofErrors(title, groups) {
  const row = ({ code, status, advice }) => `| [\`${code}\`](/docs/errors/${code}) | ${status ?? ""} | ${advice} |`;
  const section = ({ title, about, errors }) => [
    `## ${title}`, about, ["| Code | Status | What to do |", "|---|---|---|", ...errors.map(row)].join("\n"),
  ];
  return [`# ${title}`, ...groups.flatMap(section)].join("\n\n");
}

const oneLine = (text) => text.replace(/\s+/g, " ").replaceAll("|", "\\|");

function ofFields(rows) {
  const lines = rows.map(({ name, type, place, isNullable, isRequired, isOptional, description }) => {
    const marks = [isNullable && "or null", place, isRequired && "required", isOptional && "optional"].filter(Boolean);
    return `| \`${name}\` | ${[type, ...marks].join(", ").replace(", or null", " or null")} | ${oneLine(description)} |`;
  });
  return ["| Name | Type | Description |", "|---|---|---|", ...lines].join("\n");
}

const ofBody = ({ fields, objects }) => [
  fields.length ? ofFields(fields) : "",
  ...objects.flatMap(({ name, fields }) => [`\`${name}\`:`, ofFields(fields)]),
];

const json = ({ value }) => "```json\n" + JSON.stringify(value, null, 2) + "\n```";

// The words after the language are marks for the test of the samples.
const ofSample = ({ markdown, guide }) => [
  markdown.replace(/^```(\w+).*$/gm, "```$1").replace(/^```$\n(?=```)/gm, "```\n\n").trim(),
  `From the guide: [${guide.title}](${guide.url}.md)`,
];

function ofResponse({ name, codes, description, bodies, isSuccess }) {
  const examples = bodies.flatMap(({ examples }) => examples);
  if (codes.length) return [`### ${name}`, codes.map((code) => `[\`${code}\`](/docs/errors/${code}.md)`).join(", ")];
  return [`### ${name}`, description, ...bodies.flatMap(ofBody), ...(isSuccess ? examples.map(json) : [])];
}

function ofCredentials(credentials) {
  if (!credentials) return "";
  const { texts, isOptional } = credentials;
  return `Credentials: ${texts.length ? `${isOptional ? "optional: " : ""}${texts.join(", or ")}` : "none"}.`;
}

function ofOperation({ operation, sample }) {
  const { title, id, method, path, isEvent, summary, description, parameters, bodies, responses, order } = operation;
  const request = isEvent ? "" : `\`${method} ${path}\` (\`${id}\`)`;
  const parts = [`# ${title}`, request, summary, description, ofCredentials(operation.credentials)];
  if (sample) parts.push(...ofSample(sample));
  if (parameters.length) parts.push(isEvent ? "## Headers" : "## Parameters", ofFields(parameters));
  for (const body of bodies) {
    parts.push("## Body", `\`${body.type}\``, ...ofBody(body));
    if (!sample) parts.push(...body.examples.map(json));
  }
  parts.push("## Responses", ...responses.flatMap(ofResponse), ...order);
  return parts.filter(Boolean).join("\n\n");
}

const entryOf = ({ title, url, method, path, short, isEvent }) =>
  `- [${title}](${url}.md)${isEvent ? "" : ` \`${method} ${path}\``}: ${short}`;

const ofTag = ({ title, description, operations }) => [`# ${title}`, description, operations.map(entryOf).join("\n")].join("\n\n");

// Returns a page as Markdown.
export function markdownOf({ source, title, text, data }) {
  if (text) return withSiteLinks(source, text);
  if (data.error) return `${ofError(data.error)}\n`;
  if (data.groups) return `${ofErrors(title, data.groups)}\n`;
  return `${data.operation ? ofOperation(data) : ofTag(data.tag)}\n`;
}

export function writeMarkdown(output, url, text) {
  const file = path.join(output, `${url === HOME.url ? "/index" : url.slice("/docs".length)}.md`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

// The purpose of a page is its first paragraph.
const purpose = ({ text, data }) => data?.operation?.short ?? data?.tag?.description ?? (text?.split(/\n{2,}/)[1] ?? "").replace(/\s+/g, " ").replace(/\[([^\]]+)\]\([^)]+\)/g, "$1");

// Returns the list of the pages, in the form of llmstxt.org.
export function llmsText(pages) {
  const parts = [
    "# Clipgate",
    "> Publish short videos from your code: an HTTP API to upload, follow and manage them. Each page is Markdown, and " +
      "/openapi.json describes every operation.",
  ];
  for (const { title } of DOORS) {
    const listed = pages.filter((page) => page.door === title && (page.section || page.parent));
    const lines = listed.map((page) => `- [${page.title}](${page.url}.md)${purpose(page) ? `: ${purpose(page)}` : ""}`);
    parts.push(`## ${title}`, lines.join("\n"));
  }
  return `${parts.join("\n\n")}\n`;
}
