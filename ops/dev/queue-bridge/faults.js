// Faults between a queue and its client, injected on demand. A fault is
//   { "on": "pull" | "ack" | "send" | "arrive", "kind": …, "times": 1, "rate": 1, … }
// and affects the next `times` requests of its action ("times": null means all), each with the probability `rate`.
//
//   kind         effect                                                               parameter and default
//   throttled    responds 429 with Retry-After, without performing the action         "retry_after": 1
//   unavailable  responds with an error, without performing the action                "status": 503
//   html         responds with a page instead of JSON, without performing the action  "status": 200
//   unapplied    responds with success, without performing the action (ack)
//   unanswered   performs the action, then breaks the connection
//   truncated    performs the action, then sends only half of the response
//   slow         performs the action after a delay                                    "delay_ms": 1000
//   duplicate    returns every message twice (pull)
//   reorder      returns the newest messages first (pull)
//   late         returns messages whose leases have expired already (pull)

const KINDS = ["throttled", "unavailable", "html", "unapplied", "unanswered", "truncated", "slow", "duplicate",
  "reorder", "late"];

export function isFault(fault) {
  return ["pull", "ack", "send", "arrive"].includes(fault?.on) && KINDS.includes(fault.kind);
}

// Returns the index of the fault that affects a request, or -1 for none. `chance` is a random number from 0 to below 1.
// The rates of all faults of an action add up.
export function firstFault(faults, action, chance) {
  return faults.findIndex((fault) => fault.on === action && (chance -= fault.rate ?? 1) < 0);
}

// Returns the remaining faults after the one at `index` has affected one more request.
export function withoutOne(faults, index) {
  const { times = 1 } = faults[index];
  if (times === null) return faults;
  const left = times > 1 ? [{ ...faults[index], times: times - 1 }] : [];
  return faults.toSpliced(index, 1, ...left);
}

// Returns how a fault changes a pull.
export function pullOptions(fault) {
  return { twice: fault?.kind === "duplicate", reordered: fault?.kind === "reorder", expired: fault?.kind === "late" };
}

// Applies a fault to a request. `perform` performs the action and returns the response; `pretend` only returns a
// response.
export async function applyFault(fault, perform, pretend) {
  switch (fault?.kind) {
    case "throttled": return throttled(fault.retry_after ?? 1);
    case "unavailable": return Response.json(errorBody(10001, "Service unavailable"), { status: fault.status ?? 503 });
    case "html": return htmlPage(fault.status ?? 200);
    case "unapplied": return pretend();
    case "unanswered": return breakConnection(await perform());
    case "truncated": return truncate(await perform());
    case "slow": await scheduler.wait(fault.delay_ms ?? 1000); return perform();
    default: return perform();
  }
}

// Returns the JSON body of an error response from Cloudflare.
export function errorBody(code, message) {
  return { success: false, errors: [{ code, message }], messages: [], result: null };
}

function throttled(retryAfter) {
  const body = errorBody(10013, "Rate limited. Please wait and consider throttling your request speed");
  return Response.json(body, { status: 429, headers: { "Retry-After": String(retryAfter) } });
}

function htmlPage(status) {
  return new Response("<!DOCTYPE html><html><head><title>Error</title></head><body>cloudflare</body></html>",
    { status, headers: { "Content-Type": "text/html; charset=UTF-8" } });
}

async function truncate(response) {
  const text = await response.text();
  return new Response(text.slice(0, text.length / 2), response);
}

function breakConnection(response) {
  const error = new Error("the connection was broken by an injected fault");
  const body = new ReadableStream({ pull: (stream) => stream.error(error) });
  return new Response(body, response);
}
