// Scrolls the menu to the page that is open. The page itself does not scroll.
const menu = document.querySelector("#menu");
const current = menu.querySelector("[aria-current]");

if (current && menu.scrollHeight > menu.clientHeight) {
  const distance = current.getBoundingClientRect().top - menu.getBoundingClientRect().top;
  menu.scrollTop += distance - menu.clientHeight / 2;
}
