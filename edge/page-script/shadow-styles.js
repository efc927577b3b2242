// Makes the player's elements work under a policy that allows no inline styles.
//
// Each element of media-chrome fills its shadow root with a template that begins with style elements, which the policy
// blocks. Here their text goes into constructed style sheets, which the policy allows, like every change through the
// CSSOM. The style elements stay, empty, because media-chrome later inserts rules into them. The inserted rules must
// override the template's, so the template's are in a layer.

function fill(root, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  // Inner elements create their own shadow roots.
  for (const inner of template.content.querySelectorAll("template[shadowrootmode]")) inner.remove();
  root.adoptedStyleSheets = [...template.content.querySelectorAll("style")].map(constructed);
  root.replaceChildren(template.content);
}

function constructed(style) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`@layer template{${style.textContent}}`);
  style.textContent = "";
  return sheet;
}

Object.defineProperty(ShadowRoot.prototype, "innerHTML", {
  set(html) {
    fill(this, html);
  },
});
ShadowRoot.prototype.setHTMLUnsafe = function (html) {
  fill(this, html);
};
