import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { FIRST, isMonth, LAST, shifted } from "./months.js";

/**
 * Chooses a month. A browser that has no field for months shows a field for text.
 * @param {{ month: string, current: string, onChoose: (month: string) => void }} props
 *   `month`: the chosen one as the address has it, which may be wrong.
 */
export function MonthPicker({ month, current, onChoose }) {
  // A field for months takes nothing else.
  const text = isMonth(month, LAST) ? month : "";
  const typed = useSignal(text);
  // While somebody types, a month is not wrong yet.
  const isTyping = useSignal(false);
  useEffect(() => {
    typed.value = text;
  }, [text]);
  const isWrong = !isTyping.value && !isMonth(typed.value, current);
  const step = (/** @type {number} */ by) => {
    const next = isMonth(month, current) ? shifted(month, by) : "";
    const canGo = isMonth(next, current);
    // Not `disabled`, which would take the keyboard's focus away at the last month.
    return { "aria-disabled": !canGo, onClick: () => canGo && onChoose(next) };
  };
  const input = (/** @type {string} */ value) => {
    [typed.value, isTyping.value] = [value, true];
    if (isMonth(value.trim(), current)) onChoose(value.trim());
  };
  const leave = () => {
    isTyping.value = false;
  };
  return (
    <>
      <form class="row months" role="search" aria-label="Month of the statistics"
        onSubmit={(event) => { event.preventDefault(); leave(); }}>
        <Button icon aria-label="Previous month" title="Previous month" {...step(-1)}>‹</Button>
        <input class="input number" type="month" aria-label="Month" placeholder="2026-11" autocomplete="off"
          min={FIRST} max={current} value={typed.value} aria-invalid={isWrong || undefined}
          aria-describedby={isWrong ? "wrong-month" : undefined}
          onInput={(event) => input(event.currentTarget.value)} onBlur={leave} />
        <Button icon aria-label="Next month" title="Next month" {...step(1)}>›</Button>
        {month !== current && <Button kind="quiet" onClick={() => onChoose(current)}>Current month</Button>}
      </form>
      {isWrong && (
        <p class="found-by" id="wrong-month" role="alert">
          Choose a month up to the current one, such as {current}.
        </p>
      )}
    </>
  );
}
