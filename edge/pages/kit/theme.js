// Light, dark, or what the system says.
import { effect, signal } from "@preact/signals";
import { remember, remembered } from "./store.js";

export const THEMES = [
  { name: "system", label: "System" },
  { name: "light", label: "Light" },
  { name: "dark", label: "Dark" },
];

export const theme = signal(remembered("theme") ?? "system");

/** @param {string} name */
export function chooseTheme(name) {
  theme.value = name;
  remember("theme", name === "system" ? null : name);
}

/** The choice as items of a menu. */
export function themeItems() {
  return THEMES.map(({ name, label }) => ({
    label, checked: theme.value === name, onSelect: () => chooseTheme(name),
  }));
}

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});
