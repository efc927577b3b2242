// The language of the samples that the reader has chosen.

// The console shares the choice.
const NAME = "console.code-tab";

// The style sheet has a rule for each.
const LANGUAGES = ["curl", "JavaScript", "Python", "clipgate"];

export const chosenLanguage = () => document.documentElement.dataset.code;

export function chooseLanguage(language) {
  document.documentElement.dataset.code = language;
  try {
    localStorage.setItem(NAME, language);
  } catch {
    // Without storage, as in some private windows, the choice lasts as long as the page.
  }
}

function remembered() {
  try {
    return localStorage.getItem(NAME);
  } catch {
    return null;
  }
}

export function restoreLanguage() {
  document.documentElement.dataset.code = LANGUAGES.find((language) => language === remembered()) ?? LANGUAGES[0];
}
