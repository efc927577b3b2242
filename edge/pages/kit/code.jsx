import { signal } from "@preact/signals";
import { useId } from "preact/hooks";
import { CopyButton } from "./copy.jsx";
import { remember, remembered } from "./store.js";

const chosen = signal(remembered("code-tab") ?? "");

/**
 * Code in several languages. The choice is remembered, and holds for every block.
 * @param {{ label: string, tabs: { name: string, text: string }[] }} props
 */
export function CodeTabs({ label, tabs }) {
  const id = useId();
  const at = Math.max(0, tabs.findIndex((tab) => tab.name === chosen.value));
  const choose = (/** @type {number} */ next) => {
    const tab = /** @type {{ name: string }} */ (tabs[(next + tabs.length) % tabs.length]);
    chosen.value = tab.name;
    remember("code-tab", tab.name);
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    choose(at + step);
    requestAnimationFrame(() => document.getElementById(`${id}-tab`)?.focus());
  };
  const text = tabs[at]?.text ?? "";
  return (
    <div class="code">
      <div class="head">
        <div role="tablist" aria-label={label} onKeyDown={pressed}>
          {tabs.map((tab, index) => (
            <button type="button" role="tab" key={tab.name} id={index === at ? `${id}-tab` : undefined}
              aria-selected={index === at} aria-controls={`${id}-panel`} tabindex={index === at ? 0 : -1}
              onClick={() => choose(index)}>{tab.name}</button>
          ))}
        </div>
        <CopyButton text={text} />
      </div>
      <pre id={`${id}-panel`} role="tabpanel" tabindex={0} aria-labelledby={`${id}-tab`}>{text}</pre>
    </div>
  );
}

/** One piece of code, or of what a program has sent. @param {{ label: string, text: string }} props */
export function CodeBlock({ label, text }) {
  return (
    <div class="code">
      <div class="head"><span class="name">{label}</span><CopyButton text={text} /></div>
      <pre tabindex={0} role="group" aria-label={label}>{text}</pre>
    </div>
  );
}
