// The samples of the operations: those of the guides, which a test runs. The curl line of a sample says which operations
// it calls.
import markdownIt from "markdown-it";
import { groupsOf, tabOf } from "./samples.mjs";

const parser = markdownIt();

// A whole argument in double quotes that begins with a variable: the address.
const ADDRESS = /"\$\{?([A-Z_]+)\}?([^"]*)"/;

/**
 * Returns the methods and paths that a shell sample calls. A variable in a path stays as `$NAME`.
 * @param {string} text
 * @returns {{ method: string, path: string }[]}
 */
export function callsOf(text) {
  const commands = text.replace(/\\\n/g, " ").split(/(?=\bcurl )/).filter((part) => part.startsWith("curl "));
  return commands.flatMap((command) => {
    const [line] = command.split("\n");
    const [, , rest] = line.match(ADDRESS) ?? [];
    if (rest === undefined) return [];
    const given = line.match(/ (?:-X|--request) (\w+)/)?.[1];
    const hasBody = / (?:-d|-F|--data|--data-binary|--json|--form) /.test(line);
    return [{ method: given ?? (hasBody ? "POST" : "GET"), path: rest.split("?")[0] }];
  });
}

/**
 * Tells whether a call is one of the operation. A variable stands for a parameter; if it is the whole path, it has the
 * parameter's name.
 */
export function isCallOf({ method, path }, operation) {
  if (method !== operation.method) return false;
  const whole = path.match(/^\$\{?([A-Z_]+)\}?$/)?.[1];
  if (whole) return operation.path.endsWith(`/{${whole.toLowerCase()}}`);
  const [called, parts] = [path, operation.path].map((text) => text.split("/"));
  const fits = (part, given) => part === given || (part.startsWith("{") && given.startsWith("$"));
  return called.length === parts.length && parts.every((part, index) => fits(part, called[index]));
}

/**
 * Returns the samples of the guides that call the API with curl, in the order of the pages.
 * @param {{ title: string, url: string, section: string, text: string, keywords?: string, layout?: string }[]} guides
 */
export function readSamples(guides) {
  return guides.flatMap((guide) => samplesOf(guide).map((sample, index) => ({ ...sample, index, guide })));
}

function samplesOf({ text }) {
  return groupsOf(parser.parse(text, {})).flatMap((run) => {
    const blocks = run.filter(({ type }) => type === "fence");
    const calls = blocks.filter(({ info }) => tabOf(info) === "curl").flatMap(({ content }) => callsOf(content));
    const isSuccess = !blocks.some(({ info }) => info.includes(" expect="));
    return calls.length ? [{ calls, isSuccess, markdown: blocks.map(fenced).join("\n") }] : [];
  });
}

const fenced = ({ info, content }) => `\`\`\`${info}\n${content}\`\`\`\n`;

const wordsOf = (text) => text.toLowerCase().split(/[^a-z]+/);

// Returns how many words of the operation's name the guide has in its title and keywords.
function shared({ id }, { title, keywords = "" }) {
  const words = new Set(wordsOf(`${title} ${keywords}`));
  return wordsOf(id).filter((word) => words.has(word)).length;
}

// Returns the rank of a sample: numbers that are compared in turn, the lowest first. A sample that expects a text other than
// that of a success may show a failure. The first task of a page is what the page is about. Pages of the section Start and
// pages with a layout of their own show an operation only in passing.
const rank = ({ index, isSuccess, guide }, operation) =>
  [!isSuccess, index, guide.section === "Start" || !!guide.layout, -shared(operation, guide)].map(Number);

function compare(one, other) {
  const at = one.findIndex((value, place) => value !== other[place]);
  return at < 0 ? 0 : one[at] - other[at];
}

/**
 * Returns the number of the first sample that calls the operation. An operation that no sample calls comes last.
 * @param {ReturnType<typeof readSamples>} samples
 */
export function firstCall(operation, samples) {
  const first = samples.findIndex(({ calls }) => calls.some((call) => isCallOf(call, operation)));
  return first < 0 ? samples.length : first;
}

/**
 * Returns the best sample of the operation, and the other guides that call it, or null.
 * @param {ReturnType<typeof readSamples>} samples
 */
export function sampleOf(operation, samples) {
  const [best, ...others] = samples.filter(({ calls }) => calls.some((call) => isCallOf(call, operation))).sort((one, other) =>
    compare(rank(one, operation), rank(other, operation)),
  );
  if (!best) return null;
  const guides = new Map(others.map(({ guide }) => [guide.url, guide.title]));
  guides.delete(best.guide.url);
  return {
    markdown: best.markdown,
    guide: { title: best.guide.title, url: best.guide.url },
    others: [...guides].map(([url, title]) => ({ url, title })),
  };
}
