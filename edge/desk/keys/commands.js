// Which commands can be used now: each part of the page offers its own while it is shown.
import { useEffect, useRef } from "preact/hooks";
import { commandOf, focusOf } from "./keymap.js";

/** @typedef {((number: number) => unknown) & { isUnlisted?: boolean }} Command */
/** @typedef {Record<string, Command | undefined | false>} Commands */
/** @typedef {{ label: string, run: () => unknown, hint?: string }} Extra A command without a key. */

/** The latest comes first. @type {{ current: { commands: Commands, extras: Extra[] } }[]} */
const layers = [];

/** Offers commands by their ids in the keymap. @param {Commands} commands @param {Extra[]} [extras] */
export function useCommands(commands, extras = []) {
  const layer = useRef({ commands, extras });
  layer.current = { commands, extras };
  useEffect(() => {
    layers.unshift(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

/** @param {string} id */
const find = (id) => layers.map((layer) => layer.current.commands[id]).find(Boolean) || null;

/** Whether a command can be used now. @param {string} id */
export const isOffered = (id) => {
  const command = find(id);
  return command !== null && !command.isUnlisted;
};

/**
 * A command that only its key runs, unless it is listed.
 * @param {() => unknown} run @param {boolean} isListed
 * @returns {Command}
 */
export const asCommand = (run, isListed) => Object.assign(() => run(), { isUnlisted: !isListed });

/** @param {string} id @param {number} [number] */
export function run(id, number = 0) {
  const command = find(id);
  command?.(number);
  return command !== null;
}

/** @returns {Extra[]} */
export const extras = () => layers.flatMap((layer) => layer.current.extras);

/** Makes the keyboard run the commands. */
export function startKeys() {
  document.addEventListener("keydown", (event) => {
    // A dialog has the keyboard to itself.
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
    const target = event.target instanceof Element ? event.target : null;
    const command = commandOf(event, focusOf(target));
    if (command && run(command.id, command.number)) event.preventDefault();
  });
}
