// The local queue with Cloudflare's HTTP API to send, pull, acknowledge and count messages, which wrangler lacks. A
// client needs only another base address and token than in production.
//
// The other endpoints use the same token and are for forward.js and for tests. Each accepts `?queue=ID` and otherwise
// uses the queue of the stack:
//   POST /arrivals  [ … ]                  adds the messages that the Worker has sent to its local queue
//   POST /queues    { "max_retries": 3 }   creates a queue with its own dead-letter queue
//   PUT  /faults    [ … ]                  replaces the injected faults, see faults.js
//   POST /advance   { "ms": 600000 }       moves the queue's clock forward
//   GET  /stats                            returns the numbers of all, leased, delayed and dead messages

import { applyFault, errorBody, isFault, pullOptions } from "./faults.js";
export { Queues } from "./queues.js";

// Cloudflare's limits.
const MAX_DELAY_MS = 12 * 60 * 60 * 1000;
const MAX_BATCH_SIZE = 100;
const MAX_MESSAGE_BYTES = 128_000;

export default {
  async fetch(request, env) {
    try {
      return await route(request, env);
    } catch (error) {
      if (error instanceof Refusal) return error.response();
      throw error;
    }
  },
};

class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }

  response() {
    return Response.json(errorBody(this.code, this.message), { status: this.status });
  }
}

function queues(env) {
  return env.QUEUES.getByName("all");
}

async function route(request, env) {
  if (request.headers.get("Authorization") !== `Bearer ${env.QUEUE_TOKEN}`) {
    throw new Refusal(401, 10000, "Authentication error");
  }
  const url = new URL(request.url);
  const api = url.pathname.match(
    /^\/client\/v4\/accounts\/([^/]+)\/queues\/([^/]+)\/(?:(metrics)|messages(?:\/(pull|ack))?)$/);
  if (api === null) return control(request, env, url);
  const [, account, queue, metrics, action = metrics ?? "send"] = api;
  if (account !== env.ACCOUNT_ID) throw new Refusal(403, 10000, "Authentication error");
  return serve(request, await queuesWith(env, queue), queue, action);
}

// Returns the queues. Fails unless this queue exists.
async function queuesWith(env, queue) {
  const stub = queues(env);
  if (!await stub.exists(queue)) throw new Refusal(404, 11000, "Queue does not exist");
  return stub;
}

async function serve(request, stub, queue, action) {
  if (action === "metrics") return count(request, stub, queue);
  if (request.method !== "POST") throw new Refusal(405, 10405, "Method not allowed");
  const parse = { send: parseSend, pull: parsePull, ack: parseAck }[action];
  const input = parse(await json(request));
  const fault = await stub.takeFault(queue, action);
  switch (action) {
    case "send":
      return applyFault(fault, () => send(stub, queue, input), () => success(null));
    case "pull":
      return applyFault(fault, () => pull(stub, queue, { ...input, ...pullOptions(fault) }), () => pullResponse([], 0));
    default:
      return applyFault(fault, () => settle(stub, queue, input),
        () => settleResponse({ acked: input.acks.length, retried: input.retries.length, unknown: [] }));
  }
}

async function count(request, stub, queue) {
  if (request.method !== "GET") throw new Refusal(405, 10405, "Method not allowed");
  return success({ backlog_count: (await stub.stats(queue)).depth });
}

function success(result) {
  return Response.json({ success: true, errors: [], messages: [], result });
}

async function json(request) {
  try {
    const value = await request.json();
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Invalid JSON gets the same response as JSON that is not an object.
  }
  throw new Refusal(400, 10026, "Request body is not a JSON object");
}

function integer(value, fallback, min, max, name) {
  const number = value ?? fallback;
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new Refusal(400, 10026, `${name} must be an integer from ${min} to ${max}`);
}

function delay(seconds) {
  return integer(seconds, 0, 0, MAX_DELAY_MS / 1000, "delay_seconds") * 1000;
}

// -- send

function parseSend(message) {
  const [contentType, body] = message.content_type === "text"
    ? ["text", message.body]
    : ["json", new TextEncoder().encode(JSON.stringify(message.body)).toBase64()];
  if (typeof body !== "string") throw new Refusal(400, 10026, "body must be text");
  if (new TextEncoder().encode(body).length > MAX_MESSAGE_BYTES) throw new Refusal(413, 10026, "message is too large");
  return { id: newId(), body, contentType, delayMs: delay(message.delay_seconds) };
}

async function send(stub, queue, message) {
  await stub.send(queue, [message]);
  return success(null);
}

function newId() {
  return crypto.randomUUID().replaceAll("-", "");
}

// -- pull

function parsePull(options) {
  return {
    batchSize: integer(options.batch_size, 5, 1, MAX_BATCH_SIZE, "batch_size"),
    visibilityMs: integer(options.visibility_timeout_ms, 30_000, 0, MAX_DELAY_MS, "visibility_timeout_ms"),
  };
}

async function pull(stub, queue, options) {
  const { backlog, messages } = await stub.pull(queue, options);
  return pullResponse(messages, backlog);
}

function pullResponse(messages, backlog) {
  return success({
    message_backlog_count: backlog,
    messages: messages.map((message) => ({
      body: message.body,
      id: message.id,
      timestamp_ms: message.sent_at,
      attempts: message.attempts,
      metadata: { "CF-Content-Type": message.content_type },
      lease_id: message.lease,
    })),
  });
}

// -- ack

function parseAck(settlement) {
  const list = (entries = []) => {
    if (!Array.isArray(entries)) throw new Refusal(400, 10026, "acks and retries must be lists");
    return entries.map((entry) => ({ lease: String(entry?.lease_id), delayMs: delay(entry?.delay_seconds) }));
  };
  return { acks: list(settlement.acks), retries: list(settlement.retries) };
}

async function settle(stub, queue, { acks, retries }) {
  return settleResponse(await stub.settle(queue, acks, retries));
}

function settleResponse({ acked, retried, unknown }) {
  const warnings = Object.fromEntries(unknown.map((lease) => [lease, "lease is not known"]));
  return success({ ackCount: acked, retryCount: retried, warnings });
}

// -- arrivals, and control by tests

async function control(request, env, url) {
  const queue = url.searchParams.get("queue") ?? env.QUEUE_ID;
  const stub = await queuesWith(env, queue);
  switch (`${request.method} ${url.pathname}`) {
    case "POST /arrivals": return arrive(stub, queue, await json(request));
    case "POST /queues": return success(await createQueue(stub, await json(request)));
    case "PUT /faults": return success(await stub.setFaults(queue, parseFaults(await json(request))) ?? null);
    case "POST /advance": return success(await stub.advance(queue, parseMilliseconds(await json(request))) ?? null);
    case "GET /stats": return success(await stub.stats(queue));
    default: throw new Refusal(404, 7003, "Could not route to this path");
  }
}

async function arrive(stub, queue, messages) {
  const fault = await stub.takeFault(queue, "arrive");
  return applyFault(fault, async () => success(await stub.send(queue, messages) ?? null), () => success(null));
}

async function createQueue(stub, options) {
  const [queue, deadLetters] = [newId(), newId()];
  await stub.declare(queue, deadLetters, integer(options.max_retries, 3, 0, 100, "max_retries"));
  return { queue_id: queue, queue_dead_id: deadLetters };
}

function parseFaults(list) {
  if (Array.isArray(list) && list.every(isFault)) return list;
  throw new Refusal(400, 10026, "faults must be a list of known faults");
}

function parseMilliseconds({ ms }) {
  return integer(ms, undefined, 0, Number.MAX_SAFE_INTEGER, "ms");
}
