// Choices that the browser remembers. Without storage, as in some private windows, a choice lasts as long as the page.

/** @param {string} name @returns {string | null} */
export function remembered(name) {
  try {
    return localStorage.getItem(`console.${name}`);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string | null} value */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(`console.${name}`);
    else localStorage.setItem(`console.${name}`, value);
  } catch {
    // Nothing is lost but the memory of the choice.
  }
}
