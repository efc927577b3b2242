// Tabs on each group of samples. A choice holds for every group and is remembered.
import { chooseLanguage, chosenLanguage } from "./language.mjs";

const STEPS = { ArrowRight: (at) => at + 1, ArrowLeft: (at) => at - 1, Home: () => 0, End: () => -1 };

const groups = [...document.querySelectorAll(".samples")].map(withTabs);

// Adds the tabs to a group, and returns them.
function withTabs(group) {
  const list = group.querySelector(".tabs");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language");
  const tabs = [...group.querySelectorAll(".sample")].map(tabFor);
  list.append(...tabs);
  list.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const next = tabs.at(step(tabs.indexOf(event.target)) % tabs.length);
    choose(next);
    next.focus();
  });
  return tabs;
}

function tabFor(sample) {
  const tab = document.createElement("button");
  const id = `${sample.id}-tab`;
  const attributes = { type: "button", role: "tab", id, "aria-controls": sample.id };
  for (const [name, value] of Object.entries(attributes)) tab.setAttribute(name, value);
  tab.textContent = sample.dataset.tab;
  tab.addEventListener("click", () => choose(tab));
  sample.setAttribute("role", "tabpanel");
  sample.setAttribute("aria-labelledby", id);
  return tab;
}

// Other groups change their height too. The chosen tab stays where it is on the screen.
function choose(tab) {
  const before = tab.getBoundingClientRect().top;
  chooseLanguage(tab.textContent);
  markChosen();
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
}

// A group without the chosen language shows its first one.
function markChosen() {
  for (const tabs of groups) {
    const chosen = tabs.find((tab) => tab.textContent === chosenLanguage()) ?? tabs[0];
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
    }
  }
}

markChosen();
