// Whether pictures are blurred and grey. That is so until somebody switches it off on this device.
import { effect, signal } from "@preact/signals";
import { remember, remembered } from "../pages/kit/store.js";

export const isVeiled = signal(remembered("pictures") !== "clear");

export function toggleVeil() {
  isVeiled.value = !isVeiled.value;
  remember("pictures", isVeiled.value ? null : "clear");
}

effect(() => {
  document.documentElement.dataset.pictures = isVeiled.value ? "blurred" : "clear";
});
