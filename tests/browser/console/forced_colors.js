// Returns what cannot be told apart in colours that the reader has chosen.
const faults = [];
const backdrop = getComputedStyle(document.documentElement).backgroundColor;
const NONE = "rgba(0, 0, 0, 0)";
const visible = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());

for (const one of visible(".state")) {
  const dot = getComputedStyle(one, "::before");
  const isSeen = [dot.backgroundColor, dot.borderTopColor].some((colour) => ![backdrop, NONE].includes(colour));
  if (!isSeen || !one.innerText.trim()) faults.push(`state: ${one.outerHTML}`);
}
for (const one of visible(".button:not(.quiet), .input")) {
  const style = getComputedStyle(one);
  const hasEdge = parseFloat(style.borderTopWidth) >= 1 && style.borderTopColor !== backdrop;
  if (!hasEdge) faults.push(`edge: ${one.outerHTML}`);
}
for (const one of visible(".progress > div")) {
  const colours = [one, one.parentElement].map((part) => getComputedStyle(part).backgroundColor);
  if (colours[0] === colours[1]) faults.push("progress");
}
for (const one of visible(".bars > rect:not(.over)")) if (getComputedStyle(one).fill === backdrop) faults.push("bar");

// What is chosen differs from its neighbours by more than its colour.
const CHOSEN = "[aria-current], [aria-pressed=true], [aria-selected=true]";
const LOOK = ["fontWeight", "outlineStyle", "textDecorationLine", "borderTopWidth"];
const look = (one) => LOOK.map((name) => getComputedStyle(one)[name]).join();
for (const one of visible(CHOSEN)) {
  const neighbours = [...one.closest("ul, nav, [role=group], [role=tablist]").querySelectorAll(one.tagName)];
  const other = neighbours.find((neighbour) => !neighbour.matches(CHOSEN));
  if (other && look(one) === look(other)) faults.push(`chosen: ${one.outerHTML.slice(0, 200)}`);
}
return faults;
