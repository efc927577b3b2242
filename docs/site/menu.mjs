// The navigation of a page: the menu of its door, the other doors, and the pages before and after it.
import { DOORS } from "./pages.mjs";

// Returns the pages that belong below another one: the operations of a tag.
const below = (parent, pages) => pages.filter((page) => page.parent === parent).map(({ url, title }) => ({ url, title }));

// Returns the sections of a door in order, with the pages that the menu lists.
function sectionsOf(title, pages) {
  const listed = pages.filter((page) => page.door === title && page.section);
  return [...new Set(listed.map(({ section }) => section))].map((section) => ({
    title: section,
    pages: listed
      .filter((page) => page.section === section)
      .map(({ url, title }) => ({ url, title, below: below(url, pages) })),
  }));
}

// Returns what the layout shows around a page.
export function menuOf(page, pages) {
  const menu = sectionsOf(page.door, pages);
  const order = menu.flatMap((section) => section.pages).flatMap((entry) => [entry, ...entry.below]);
  const place = order.findIndex(({ url }) => url === page.url);
  return {
    menu,
    open: page.parent ?? page.url,
    door: page.door,
    doors: DOORS.map(({ title, about }) => ({ title, about, url: sectionsOf(title, pages)[0].pages[0].url })),
    previous: place > 0 ? order[place - 1] : null,
    next: place >= 0 ? order[place + 1] : null,
    twin: `${page.url === "/docs" ? "/docs/index" : page.url}.md`,
  };
}
