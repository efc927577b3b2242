// The local queue, pulled over HTTP as in production: Cloudflare's endpoints to send, pull and acknowledge, because wrangler
// has none of them. A puller differs by its base address and token only.
//
// Beside those, below the same token: what the Worker has sent comes from forward.js, and tests steer (each takes
// `?queue=ID`, the stack's own queue otherwise):
//   POST /arrivals  [ … ]                  messages of the local queue
//   POST /queues    { "max_retries": 3 }   a fresh queue with dead letters of its own
//   PUT  /faults    [ … ]                  see faults.js
//   POST /advance   { "ms": 600000 }       moves the queue's clock
//   GET  /stats                            depth, leased, delayed, dead

import { failed, isFault, pullOptions, through } from "./faults.js";
export { Queues } from "./queues.js";

// Cloudflare's limits.
const LONGEST_MS = 12 * 60 * 60 * 1000;
const LARGEST_BATCH = 100;
const LARGEST_MESSAGE = 128_000;

export default {
  async fetch(request, env) {
    try {
      return await answer(request, env);
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
    return Response.json(failed(this.code, this.message), { status: this.status });
  }
}

function queues(env) {
  return env.QUEUES.getByName("all");
}

async function answer(request, env) {
  if (request.headers.get("Authorization") !== `Bearer ${env.QUEUE_TOKEN}`) {
    throw new Refusal(401, 10000, "Authentication error");
  }
  const url = new URL(request.url);
  const api = url.pathname.match(/^\/client\/v4\/accounts\/([^/]+)\/queues\/([^/]+)\/messages(?:\/(pull|ack))?$/);
  if (api === null) return control(request, env, url);
  const [, account, queue, action = "send"] = api;
  if (account !== env.ACCOUNT_ID) throw new Refusal(403, 10000, "Authentication error");
  return serve(request, await known(env, queue), queue, action);
}

async function known(env, queue) {
  const stub = queues(env);
  if (!await stub.exists(queue)) throw new Refusal(404, 11000, "Queue does not exist");
  return stub;
}

async function serve(request, stub, queue, action) {
  if (request.method !== "POST") throw new Refusal(405, 10405, "Method not allowed");
  const asked = { send: sending, pull: pulling, ack: settling }[action](await json(request));
  const fault = await stub.takeFault(queue, action);
  switch (action) {
    case "send": return through(fault, () => send(stub, queue, asked), () => succeeded(null));
    case "pull": return through(fault, () => pull(stub, queue, { ...asked, ...pullOptions(fault) }), () => pulled([], 0));
    default: return through(fault, () => settle(stub, queue, asked),
      () => settled({ acked: asked.acks.length, retried: asked.retries.length, unknown: [] }));
  }
}

function succeeded(result) {
  return Response.json({ success: true, errors: [], messages: [], result });
}

async function json(request) {
  try {
    const value = await request.json();
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Answered below, like a body that is JSON but no object.
  }
  throw new Refusal(400, 10026, "Request body is not a JSON object");
}

function whole(value, fallback, least, most, name) {
  const number = value ?? fallback;
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Refusal(400, 10026, `${name} must be a whole number from ${least} to ${most}`);
}

function delay(seconds) {
  return whole(seconds, 0, 0, LONGEST_MS / 1000, "delay_seconds") * 1000;
}

// -- send

function sending(asked) {
  const [contentType, body] = asked.content_type === "text"
    ? ["text", asked.body]
    : ["json", new TextEncoder().encode(JSON.stringify(asked.body)).toBase64()];
  if (typeof body !== "string") throw new Refusal(400, 10026, "body must be text");
  if (new TextEncoder().encode(body).length > LARGEST_MESSAGE) throw new Refusal(413, 10026, "message is too large");
  return { id: newId(), body, contentType, delayMs: delay(asked.delay_seconds) };
}

async function send(stub, queue, message) {
  await stub.send(queue, [message]);
  return succeeded(null);
}

function newId() {
  return crypto.randomUUID().replaceAll("-", "");
}

// -- pull

function pulling(asked) {
  return {
    batchSize: whole(asked.batch_size, 5, 1, LARGEST_BATCH, "batch_size"),
    visibilityMs: whole(asked.visibility_timeout_ms, 30_000, 0, LONGEST_MS, "visibility_timeout_ms"),
  };
}

async function pull(stub, queue, options) {
  const { backlog, messages } = await stub.pull(queue, options);
  return pulled(messages, backlog);
}

function pulled(messages, backlog) {
  return succeeded({
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

function settling(asked) {
  const list = (entries = []) => {
    if (!Array.isArray(entries)) throw new Refusal(400, 10026, "acks and retries must be lists");
    return entries.map((entry) => ({ lease: String(entry?.lease_id), delayMs: delay(entry?.delay_seconds) }));
  };
  return { acks: list(asked.acks), retries: list(asked.retries) };
}

async function settle(stub, queue, { acks, retries }) {
  return settled(await stub.settle(queue, acks, retries));
}

function settled({ acked, retried, unknown }) {
  const warnings = Object.fromEntries(unknown.map((lease) => [lease, "lease is not known"]));
  return succeeded({ ackCount: acked, retryCount: retried, warnings });
}

// -- arrivals, and what tests steer

async function control(request, env, url) {
  const queue = url.searchParams.get("queue") ?? env.QUEUE_ID;
  const stub = await known(env, queue);
  switch (`${request.method} ${url.pathname}`) {
    case "POST /arrivals": return arrive(stub, queue, await json(request));
    case "POST /queues": return succeeded(await fresh(stub, await json(request)));
    case "PUT /faults": return succeeded(await stub.setFaults(queue, faults(await json(request))) ?? null);
    case "POST /advance": return succeeded(await stub.advance(queue, milliseconds(await json(request))) ?? null);
    case "GET /stats": return succeeded(await stub.stats(queue));
    default: throw new Refusal(404, 7003, "Could not route to this path");
  }
}

async function arrive(stub, queue, messages) {
  const fault = await stub.takeFault(queue, "arrive");
  return through(fault, async () => succeeded(await stub.send(queue, messages) ?? null), () => succeeded(null));
}

async function fresh(stub, asked) {
  const [queue, dead] = [newId(), newId()];
  await stub.declare(queue, dead, whole(asked.max_retries, 3, 0, 100, "max_retries"));
  return { queue_id: queue, queue_dead_id: dead };
}

function faults(list) {
  if (Array.isArray(list) && list.every(isFault)) return list;
  throw new Refusal(400, 10026, "faults must be a list of known faults");
}

function milliseconds({ ms }) {
  return whole(ms, undefined, 0, Number.MAX_SAFE_INTEGER, "ms");
}
