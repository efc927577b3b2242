// The keys of the desk, in one table: what the keyboard does, what the help and the command palette list.

/** @typedef {{ id: string, keys: string[], label: string, group: string }} Binding */

/** @type {Binding[]} */
export const BINDINGS = [
  { id: "next-row", keys: ["j"], label: "Next video", group: "Queue" },
  { id: "previous-row", keys: ["k"], label: "Previous video", group: "Queue" },
  { id: "open", keys: ["Enter"], label: "Open the video", group: "Queue" },
  { id: "select", keys: ["x"], label: "Select the video", group: "Queue" },
  { id: "next-case", keys: ["n"], label: "Next case", group: "Queue" },
  { id: "close", keys: ["Escape"], label: "Close the case", group: "Queue" },
  { id: "play", keys: ["Space"], label: "Play or pause", group: "Video" },
  { id: "frame-back", keys: [","], label: "One frame back", group: "Video" },
  { id: "frame-forward", keys: ["."], label: "One frame forward", group: "Video" },
  { id: "sound", keys: ["m"], label: "Sound on or off", group: "Video" },
  { id: "blur", keys: ["b"], label: "Blur or show pictures", group: "Video" },
  { id: "policy", keys: ["1–9"], label: "Choose the policy", group: "Decision" },
  { id: "approve", keys: ["a"], label: "Approve", group: "Decision" },
  { id: "reject", keys: ["r"], label: "Reject", group: "Decision" },
  { id: "take_down", keys: ["t"], label: "Take down", group: "Decision" },
  { id: "dismiss", keys: ["d"], label: "Dismiss the flag", group: "Decision" },
  { id: "restore", keys: ["o"], label: "Restore", group: "Decision" },
  { id: "reject_appeal", keys: ["e"], label: "Reject the appeal", group: "Decision" },
  { id: "label-sensitive", keys: ["s"], label: "Set or remove the label Sensitive", group: "Decision" },
  { id: "label-ai", keys: ["g"], label: "Set or remove the label AI-generated", group: "Decision" },
  { id: "undo", keys: ["u"], label: "Undo the last decision", group: "Decision" },
  { id: "hand-over", keys: ["h"], label: "Hand over to a colleague", group: "Decision" },
  { id: "find", keys: ["/"], label: "Find a video or a channel", group: "Desk" },
  { id: "palette", keys: ["Ctrl+K"], label: "All commands", group: "Desk" },
  { id: "help", keys: ["?"], label: "Keyboard shortcuts", group: "Desk" },
];

const BY_KEY = new Map(BINDINGS.flatMap(({ id, keys }) => keys.map((key) => [key, id])));

/** Moving through rows and frames goes on while a key is held down. Nothing else does. */
const REPEATED = ["next-row", "previous-row", "frame-back", "frame-forward"];

/** Controls that need these two keys themselves. */
const OF_CONTROLS = ["Space", "Enter"];

/**
 * @typedef {{ key: string, code: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, shiftKey: boolean,
 *   repeat: boolean }} Press
 * @typedef {"text" | "control" | "none"} Focus What has the focus: a text field, a button or link, or nothing of these.
 */

/**
 * Returns what a key does: a command, and for `policy` its number from 1.
 * @param {Press} press @param {Focus} focus
 * @returns {{ id: string, number: number } | null}
 */
export function commandOf(press, focus) {
  if (focus === "text" || press.altKey) return null;
  const name = nameOf(press);
  if (press.ctrlKey || press.metaKey) return name === "k" && !press.shiftKey ? { id: "palette", number: 0 } : null;
  if (focus === "control" && OF_CONTROLS.includes(name)) return null;
  // With Shift, only what cannot be typed without it.
  if (press.shiftKey && name !== "?" && name !== "/") return null;
  if (/^[1-9]$/.test(name)) return press.repeat ? null : { id: "policy", number: Number(name) };
  const id = BY_KEY.get(name);
  if (!id || (press.repeat && !REPEATED.includes(id))) return null;
  return { id, number: 0 };
}

/** @param {Press} press */
function nameOf({ key, code }) {
  if (key === " ") return "Space";
  if (key.length > 1 || /^[\x21-\x7e]$/.test(key)) return key.length > 1 ? key : key.toLowerCase();
  // On a keyboard of another script, such as Cyrillic, the place of the key counts.
  return code.startsWith("Key") ? code.slice(3).toLowerCase() : key;
}

const TEXT_FIELDS = "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=range])";

/**
 * What has the focus, for `commandOf`.
 * @param {Element | null} element
 * @returns {Focus}
 */
export function focusOf(element) {
  if (!element) return "none";
  // A menu has its own keys.
  if (element.closest("[role=menu]")) return "text";
  if (element.matches(TEXT_FIELDS)) return "text";
  return element.matches("a[href], button, input, summary") ? "control" : "none";
}
