// What the search knows of a page. The index is built with these options, and read with the same ones.

// A name such as `upload_token` is one word. The index has its parts too.
const words = (text) => text.split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
const wordsAndParts = (text) => words(text).flatMap((word) => (word.includes("_") ? [word, ...word.split("_")] : [word]));

export const SEARCH_OPTIONS = {
  tokenize: wordsAndParts,
  idField: "url",
  fields: ["title", "keywords", "headings", "text"],
  storeFields: ["title", "door", "weight"],
  searchOptions: {
    tokenize: words,
    boost: { title: 4, keywords: 4, headings: 2 },
    boostDocument: (_url, _term, { weight }) => weight,
    prefix: true,
    fuzzy: 0.1,
    combineWith: "AND",
  },
};

// Most readers have a task, so pages about tasks come before the reference and pages for people who run or change the
// service. A page about a single error code is found by the code, and a page about an operation by its name.
function weight({ door, text, data }) {
  if (data?.error || data?.operation) return 0.5;
  return door === "Publish videos" && text ? 2 : 1;
}

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

function plainText(html) {
  const text = html.replaceAll("<wbr>", "").replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ENTITIES[name]).trim();
}

// Returns the part of an article that the search knows. Most operations return the same objects and codes, and their samples
// are those of the guides, so only their request is indexed.
function indexed(article, { data }) {
  return data?.operation ? article.replace(/<aside[\s\S]*<\/aside>/, "").replace(/<h2 id="responses"[\s\S]*/, "") : article;
}

// Returns the entry of a page from its built HTML.
export function searchEntry(page, html) {
  const main = indexed(html.match(/<article[^>]*>([\s\S]*)<\/article>/)[1], page);
  const headings = [...main.matchAll(/<h[2-4][^>]*>([\s\S]*?)<\/h[2-4]>/g)].map((match) => plainText(match[1]));
  return {
    url: page.url,
    door: page.label ?? page.door,
    weight: weight(page),
    title: plainText(main.match(/<h1[^>]*>([\s\S]*?)<\/h1>/)[1]),
    keywords: page.keywords ?? "",
    headings: headings.join(" "),
    text: plainText(main),
  };
}
