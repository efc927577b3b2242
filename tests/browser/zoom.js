// Returns what is wrong with the page as it is: text that is cut off, things that lie over each other, and controls
// that cannot be reached.
const faults = [];
const page = document.documentElement;
if (page.scrollWidth > page.clientWidth) faults.push(`${page.scrollWidth - page.clientWidth} px too wide`);

const isShown = (one) =>
  one.checkVisibility({ visibilityProperty: true }) && !one.closest(".unseen, [aria-hidden=true], .skip");
const about = (one) => one.outerHTML.slice(0, 120);
// Text that ends with an ellipsis, in one line or in two.
function isCut(one) {
  const style = getComputedStyle(one);
  return !!one.closest(".cut, .opener") || style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
}
function scrolls(one) {
  for (; one && one !== document.body; one = one.parentElement) {
    const style = getComputedStyle(one);
    if (/auto|scroll/.test(style.overflowX + style.overflowY)) return true;
  }
  return false;
}

// Titles in one line end with an ellipsis, and can be read elsewhere.
function isCutOff(one) {
  const style = getComputedStyle(one);
  const hides = style.overflowX !== "visible" && style.overflowX !== "auto";
  const isMeant = isCut(one) || one.matches("select, input, textarea, video, dialog");
  const isEmpty = !one.innerText?.trim() || one.matches(".shot, .picture, .screen, .progress, .strip");
  const isTooSmall = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
  return hides && !isMeant && !isEmpty && isTooSmall;
}
const all = [...document.querySelectorAll("body *")].filter((one) => !(one instanceof SVGElement) && isShown(one));
for (const one of all.filter(isCutOff)) faults.push(`cut off: ${about(one)}`);

const texts = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode;
  const parent = node.parentElement;
  // Bars that stay at the edge of the window lie over the page, and so does the length of a video over its picture.
  const isOver = parent.closest("option, script, .toasts, .side, .length, .save, .decide, .fresh");
  if (!node.data.trim() || !isShown(parent) || isOver || isCut(parent) || scrolls(parent)) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const box of range.getClientRects()) {
    if (box.width < 2) continue;
    if (box.left < -1 || box.right > innerWidth + 1) faults.push(`outside: ${node.data}`);
    texts.push({ node, box });
  }
}
texts.forEach((one, at) => {
  for (const other of texts.slice(at + 1)) {
    if (one.node === other.node) continue;
    const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
    const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
    // The boxes of letters in neighbouring lines touch.
    const isOver = width > 2 && height > Math.min(one.box.height, other.box.height) / 3;
    if (isOver) faults.push(`over each other: ${one.node.data} | ${other.node.data}`);
  }
});

function isReached(one) {
  const drawn = one.closest("label.button") ?? one;
  drawn.scrollIntoView({ block: "center", behavior: "instant" });
  // The middle of a link in two lines may lie between its words.
  return [drawn.getBoundingClientRect(), ...drawn.getClientRects()].some((box) => {
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const isAround = hit?.contains(drawn) && getComputedStyle(drawn).display === "inline";
    return hit && (drawn.contains(hit) || isAround || hit.closest("label")?.control === one);
  });
}
const controls = all.filter((one) => one.matches("a[href], button, input, select, textarea, summary"));
for (const one of controls) if (!one.disabled && !isReached(one)) faults.push(`not reached: ${about(one)}`);
scrollTo(0, 0);
return [...new Set(faults)].slice(0, 20);
