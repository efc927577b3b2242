// The search of the documentation. It runs in the browser: the index is loaded when the field gets the focus.
import MiniSearch from "minisearch";
import { SEARCH_OPTIONS } from "./search-index.mjs";

const MAX_RESULTS = 8;
const form = document.querySelector("form[role=search]");
const field = form.querySelector("input");
const list = form.querySelector("ul");
const status = form.querySelector("[role=status]");

let loading;

async function load() {
  const response = await fetch("/docs/search-index.json");
  if (!response.ok) throw new Error(`the index: ${response.status}`);
  return MiniSearch.loadJSON(await response.text(), SEARCH_OPTIONS);
}

function item({ id, title, door }) {
  const link = Object.assign(document.createElement("a"), { href: id, textContent: title });
  if (door) link.append(Object.assign(document.createElement("small"), { textContent: door }));
  const element = document.createElement("li");
  element.append(link);
  return element;
}

async function search() {
  const text = field.value.trim();
  try {
    loading ??= load();
    const results = text ? (await loading).search(text).slice(0, MAX_RESULTS) : [];
    // A later search may have ended first.
    if (text !== field.value.trim()) return;
    list.replaceChildren(...results.map(item));
    status.textContent = text ? `${results.length || "No"} ${results.length === 1 ? "page" : "pages"}` : "";
  } catch {
    loading = undefined;
    status.textContent = "The search could not be loaded. Type again to retry.";
  }
}

form.hidden = false;
field.addEventListener("input", search);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
