// What the search knows of a page. The index is built with these options, and read with the same ones.
export const SEARCH_OPTIONS = {
  idField: "url",
  fields: ["title", "headings", "text"],
  storeFields: ["title"],
  searchOptions: { boost: { title: 4, headings: 2 }, prefix: true, fuzzy: 0.1, combineWith: "AND" },
};

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

function plainText(html) {
  const text = html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ENTITIES[name]).trim();
}

// Returns the entry of a built page.
export function searchEntry(url, html) {
  const main = html.match(/<main[^>]*>([\s\S]*)<\/main>/)[1];
  const headings = [...main.matchAll(/<h[2-4][^>]*>([\s\S]*?)<\/h[2-4]>/g)].map((match) => plainText(match[1]));
  return { url, title: plainText(main.match(/<h1[^>]*>([\s\S]*?)<\/h1>/)[1]), headings: headings.join(" "), text: plainText(main) };
}
