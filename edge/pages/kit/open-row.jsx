import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";

/** @typedef {import("preact").ComponentChildren} Children */

/**
 * A row of a list that opens. All of the row opens it, except links in it.
 * @param {{ name: Children, look: string, cells: Children, children: () => Children }} props
 *   `name`: what the row is called. `look`: the class that places the cells. `children` draws what opens below.
 */
export function OpenRow({ name, look, cells, children }) {
  const id = useId();
  const isOpen = useSignal(false);
  return (
    <li class={`open-row${isOpen.value ? " open" : ""}`}>
      <div class={`cells ${look}`}>
        <button type="button" class="opener" aria-expanded={isOpen.value} aria-controls={id}
          onClick={() => (isOpen.value = !isOpen.value)}>{name}</button>
        {cells}
      </div>
      <div class="opened" id={id} hidden={!isOpen.value}>{isOpen.value && children()}</div>
    </li>
  );
}
