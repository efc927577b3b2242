// The buttons that copy or share the link of the page and the embed code.

export function offerSharing(section) {
  if (!section) return;
  const link = section.dataset.link;
  const code = section.querySelector("textarea");
  const texts = { link: () => link, code: () => code.value };
  for (const button of section.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", () => copy(texts[button.dataset.copy](), section));
  }
  const share = section.querySelector("[data-share]");
  if (!navigator.share) return;
  // It has had its place from the beginning, so that nothing moves.
  share.dataset.share = "offered";
  // A viewer who closes the dialog is not an error.
  share.addEventListener("click", () => navigator.share({ title: document.title, url: link }).catch(() => {}));
}

async function copy(text, section) {
  const status = section.querySelector("[role=status]");
  try {
    await navigator.clipboard.writeText(text);
    status.textContent = "Copied.";
  } catch {
    status.textContent = `Copy this: ${text}`;
  }
}
