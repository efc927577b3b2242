// What may go wrong between a queue and who pulls it, each on demand. A fault is
//   { "on": "pull" | "ack" | "send" | "arrive", "kind": …, "times": 1, "rate": 1, … }
// and meets the next `times` requests of its action ("times": null: all of them), each with the probability `rate`.
//
//   throttled    429 with Retry-After ("retry_after": 1); nothing is done
//   unavailable  an error answer ("status": 503); nothing is done
//   html         a page instead of JSON ("status": 200); nothing is done
//   unapplied    the usual answer, yet nothing is done (ack)
//   unanswered   it is done, and the connection breaks
//   truncated    it is done, and half of the answer comes
//   slow         it is done after "delay_ms": 1000
//   duplicate    every message comes twice in the batch (pull)
//   reorder      the newest messages come first (pull)
//   late         leases run out on their way (pull)

const KINDS = ["throttled", "unavailable", "html", "unapplied", "unanswered", "truncated", "slow", "duplicate",
  "reorder", "late"];

export function isFault(fault) {
  return ["pull", "ack", "send", "arrive"].includes(fault?.on) && KINDS.includes(fault.kind);
}

// Which of the faults a request meets; -1 for none. `chance` is a random number below 1, and the rates of the faults of an
// action add up.
export function firstFault(faults, action, chance) {
  return faults.findIndex((fault) => fault.on === action && (chance -= fault.rate ?? 1) < 0);
}

// The faults that are left when this one has been met once more.
export function spent(faults, index) {
  const { times = 1 } = faults[index];
  if (times === null) return faults;
  const left = times > 1 ? [{ ...faults[index], times: times - 1 }] : [];
  return faults.toSpliced(index, 1, ...left);
}

// How a pull's own faults change it.
export function pullOptions(fault) {
  return { twice: fault?.kind === "duplicate", reordered: fault?.kind === "reorder", expired: fault?.kind === "late" };
}

// Runs a request through a fault. `act` does what was asked and answers; `pretend` answers only.
export async function through(fault, act, pretend) {
  switch (fault?.kind) {
    case "throttled": return Response.json(failed(10013, "Rate limited. Please wait and consider throttling your request speed"),
      { status: 429, headers: { "Retry-After": String(fault.retry_after ?? 1) } });
    case "unavailable": return Response.json(failed(10001, "Service unavailable"), { status: fault.status ?? 503 });
    case "html": return page(fault.status ?? 200);
    case "unapplied": return pretend();
    case "unanswered": return broken(await act());
    case "truncated": return half(await act());
    case "slow": await scheduler.wait(fault.delay_ms ?? 1000); return act();
    default: return act();
  }
}

// The body of Cloudflare's failures.
export function failed(code, message) {
  return { success: false, errors: [{ code, message }], messages: [], result: null };
}

function page(status) {
  return new Response("<!DOCTYPE html><html><head><title>Error</title></head><body>cloudflare</body></html>",
    { status, headers: { "Content-Type": "text/html; charset=UTF-8" } });
}

async function half(answer) {
  const text = await answer.text();
  return new Response(text.slice(0, text.length / 2), answer);
}

function broken(answer) {
  const body = new ReadableStream({ pull: (stream) => stream.error(new Error("the connection broke, as asked")) });
  return new Response(body, answer);
}
