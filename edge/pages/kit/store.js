// Choices that the browser remembers for a page, such as the console. Without storage, as in some private windows, a
// choice lasts as long as the page.

/** @param {string} name Returns the place of a choice, such as `console.theme`. */
const placeOf = (name) => `${location.pathname.split("/")[1]}.${name}`;

/** @param {string} name @returns {string | null} */
export function remembered(name) {
  try {
    return localStorage.getItem(placeOf(name));
  } catch {
    return null;
  }
}

/** @param {string} name @param {string | null} value */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(placeOf(name));
    else localStorage.setItem(placeOf(name), value);
  } catch {
    // Nothing is lost but the memory of the choice.
  }
}
