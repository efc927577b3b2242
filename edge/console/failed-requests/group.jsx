// One group: what its code means, when it happens, and its last requests.

import { useEffect, useRef } from "preact/hooks";
import { settings } from "../api.js";
import { Button } from "../../pages/kit/button.jsx";
import { counted } from "../../pages/kit/format.js";
import { Prose } from "../../pages/kit/prose.jsx";
import { Time } from "../../pages/kit/time.jsx";
import { navigate } from "../../pages/kit/router.js";
import { HourChart } from "./chart.jsx";
import { atLeast, HOUR, HOURS_OF_DAY } from "./counts.js";
import { Request } from "./request.jsx";

/** @typedef {import("./counts.js").Report} Report */
/** @typedef {import("./groups.js").Group} Group */

const BACK = "/console/failed-requests";

/**
 * @param {{ code: string, group: Group | null, meaning: import("./catalogue.js").Meaning, report: Report,
 *   isBeside: boolean, isDay: boolean, takesFocus: boolean }} props
 *   `group` is null if no request failed with the code. `isDay`: whether the chart shows the last day only.
 */
export function GroupView({ code, group, meaning, report, isBeside, isDay, takesFocus }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (!isBeside) scrollTo(0, 0);
    if (takesFocus) place.current?.focus({ preventScroll: true });
  }, [code]);
  const Heading = isBeside ? "h2" : "h1";
  const escaped = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && navigate(BACK);
  return (
    <article class="group" ref={place} tabindex={-1} aria-label={code} onKeyDown={escaped}>
      <nav class="way-back" aria-label="Back">
        <Button kind="quiet" href={BACK}>{isBeside ? "Close" : "← Failed requests"}</Button>
      </nav>
      <header>
        <Heading class="code-title">{code}</Heading>
        <p class="read"><Prose text={[meaning.what, meaning.next].filter(Boolean).join(" ")} /></p>
        <p><a href={`${settings.value?.site_url ?? ""}/docs/errors/${code}`} target="_blank">About this error</a></p>
      </header>
      {group
        ? <Found code={code} group={group} report={report} isDay={isDay} isBeside={isBeside} />
        : <p class="dim">No request failed with this code in the last 7 days.</p>}
    </article>
  );
}

/** @param {{ code: string, group: Group, report: Report, isDay: boolean, isBeside: boolean }} props */
function Found({ code, group, report, isDay, isBeside }) {
  const Heading = isBeside ? "h3" : "h2";
  const requests = report.requests.filter((one) => one.error_message_code === code);
  const hours = isDay ? group.hours.slice(-HOURS_OF_DAY) : group.hours;
  const since = report.since_unix + (group.hours.length - hours.length) * HOUR;
  return (
    <>
      <section aria-label="When it happens" class="happens">
        <Period code={code} isDay={isDay} />
        <p class="number">
          <b>{atLeast(isDay ? group.day : group.week, report.is_complete)}</b>
          {" "}<span class="dim">in the last {isDay ? "24 hours" : "7 days"}, most recently</span>
          {" "}<Time unix={group.lastSeen} />
        </p>
        <HourChart hours={hours} since={since} what={`Requests with ${code}`} />
      </section>
      <section aria-labelledby="last-requests">
        <Heading class="sub" id="last-requests">{lastText(requests.length)}</Heading>
        {requests.length < group.week && (
          <p class="note">Only the last 50 failed requests are kept, across all error codes.</p>
        )}
        <ul class="requests">{requests.map((one) => <Request key={one.request_id} of={one} />)}</ul>
      </section>
    </>
  );
}

/** @param {number} count */
function lastText(count) {
  if (count === 0) return "Requests";
  return count === 1 ? "The last request" : `The last ${counted(count, "request")}`;
}

/** @param {{ code: string, isDay: boolean }} props */
function Period({ code, isDay }) {
  const choose = (/** @type {boolean} */ day) =>
    navigate(`${BACK}?code=${encodeURIComponent(code)}${day ? "&period=day" : ""}`, { replace: true });
  return (
    <div class="row period" role="group" aria-label="Period">
      <Button kind="quiet" aria-pressed={!isDay} onClick={() => choose(false)}>7 days</Button>
      <Button kind="quiet" aria-pressed={isDay} onClick={() => choose(true)}>24 hours</Button>
    </div>
  );
}
