import { counted, moment, number } from "../../pages/kit/format.js";
import { HOUR } from "./counts.js";

/**
 * A bar for each hour, or for several. The height of the bars is relative to the highest.
 * @param {{ bars: number[], titleOf?: (at: number) => string, label?: string }} props
 *   `label` says to screen readers what the chart shows. Without it, the chart only repeats what is said beside it.
 */
export function Bars({ bars, titleOf, label }) {
  const most = Math.max(...bars, 1);
  const access = label ? { role: /** @type {const} */ ("img"), "aria-label": label } : { "aria-hidden": true };
  return (
    <svg class="bars" viewBox={`0 0 ${bars.length} 100`} preserveAspectRatio="none" {...access}>
      {bars.map((count, at) => count > 0 && (
        // A single failure is seen beside thousands.
        <rect key={at} x={at + 0.1} width={0.8} y={100 - barHeight(count, most)} height={barHeight(count, most)} />
      ))}
      {titleOf && bars.map((_, at) => (
        <rect key={`${at} title`} class="over" x={at} width={1} y={0} height={100}><title>{titleOf(at)}</title></rect>
      ))}
    </svg>
  );
}

/** @param {number} count @param {number} most */
const barHeight = (count, most) => Math.max(5, (100 * count) / most);

/**
 * The failures by hour, with the same as a table.
 * @param {{ hours: number[], since: number, what: string }} props `since`: the first hour. `what`: what is counted.
 */
export function HourChart({ hours, since, what }) {
  const most = Math.max(...hours);
  const timeOf = (/** @type {number} */ at) => moment(since + at * HOUR);
  const counts = hours.map((count, at) => ({ at, count })).filter(({ count }) => count > 0).reverse();
  const highest = most > 0 ? `The busiest hour is ${timeOf(hours.lastIndexOf(most))}, with ${number(most)}.` : "";
  return (
    <figure class="hour-chart">
      <p class="note number" aria-hidden="true">{most > 0 ? `Peak: ${number(most)} per hour` : "None"}</p>
      <Bars bars={hours} label={`${what} by hour. ${highest}`}
        titleOf={(at) => `${timeOf(at)}: ${counted(hours[at] ?? 0, "request")}`} />
      <p class="note number axis" aria-hidden="true"><span>{timeOf(0)}</span><span>now</span></p>
      {counts.length > 0 && (
        <details class="more">
          <summary>Show as a table</summary>
          <div class="hours" tabindex={0} role="region" aria-label="Requests by hour">
            <table>
              <thead><tr><th scope="col">Hour</th><th scope="col">Requests</th></tr></thead>
              <tbody>
                {counts.map(({ at, count }) => (
                  <tr key={at}><th scope="row">{timeOf(at)}</th><td class="number">{number(count)}</td></tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </figure>
  );
}
