// The program of edge/fsck, which documents it. It asks the Worker for one page after another; a page's cursor is the
// only state, so a run continues anywhere. It must not know what a difference means.

import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

// A page takes seconds. Without a limit, a connection that is dead would hold the run for ever.
const PAGE_SECONDS = 120;
// With the pauses below, an outage of three minutes does not end the run.
const ATTEMPTS = 10;
const LONGEST_PAUSE_SECONDS = 60;
const LONGEST_RETRY_AFTER_SECONDS = 600;

class FinalFailure extends Error {}

class TemporaryFailure extends Error {
  constructor(message, retryAfter) {
    super(message);
    // Only seconds: the Worker and Cloudflare send no dates.
    this.retryAfter = /^\d+$/.test(retryAfter ?? "") ? Number(retryAfter) : null;
  }
}

function readArguments() {
  const options = { mend: { type: "boolean" }, "delete-unknown": { type: "boolean" }, from: { type: "string" } };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (positionals.length === 1 && process.env.ADMIN_TOKEN) return { base: positionals[0], ...values };
  } catch {}
  console.error("usage: ADMIN_TOKEN=… edge/fsck URL [--mend] [--delete-unknown] [--from CURSOR]");
  process.exit(2);
}

const { base, mend = false, "delete-unknown": delete_unknown = false, from } = readArguments();

async function requestPage(cursor) {
  const headers = { authorization: `Bearer ${process.env.ADMIN_TOKEN}`, "content-type": "application/json" };
  const body = JSON.stringify({ mend, delete_unknown, cursor });
  const signal = AbortSignal.timeout(PAGE_SECONDS * 1000);
  const url = new URL("/internal/fsck", base);
  const unreachable = (error) => { throw new TemporaryFailure(error.cause?.message || error.message); };
  const answer = await fetch(url, { method: "POST", headers, body, signal }).catch(unreachable);
  const text = await answer.text().catch(unreachable);
  let page = {};
  try {
    page = JSON.parse(text);
  } catch (error) {
    // Cloudflare's own failures are HTML. A success that is no JSON is of another service.
    if (answer.ok) throw new FinalFailure(`${url} did not answer with JSON: ${error.message}`);
  }
  if (answer.ok) return page;
  const reason = `${answer.status} ${page.error_message_code ?? ""}: ${page.detail ?? page.error_message ?? text.slice(0, 200)}`;
  if (answer.status !== 429 && answer.status < 500) throw new FinalFailure(reason);
  throw new TemporaryFailure(reason, answer.headers.get("retry-after"));
}

// A page whose answer was lost is compared once more, and what it mended is not printed then: it no longer differs.
async function requestPageUntilAnswered(cursor) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await requestPage(cursor);
    } catch (error) {
      if (!(error instanceof TemporaryFailure) || attempt === ATTEMPTS) throw error;
      const pause = Math.min(2 ** (attempt - 1), LONGEST_PAUSE_SECONDS) * (0.5 + Math.random() / 2);
      const seconds = Math.min(error.retryAfter ?? pause, LONGEST_RETRY_AFTER_SECONDS);
      say(`${error.message}; attempt ${attempt + 1} of ${ATTEMPTS} in ${Math.ceil(seconds)} s`);
      await sleep(seconds * 1000);
    }
  }
}

function say(line) {
  console.error(process.stderr.isTTY ? `\r\x1b[Kfsck: ${line}` : `fsck: ${line}`);
}

// Videos and their files are compared in the order of their UUIDs, which are random. So a UUID says how much is done.
// The few objects outside media/ have no such order.
function fractionDone(cursor) {
  const uuid = /^(?:contents:|objects:media\/)([0-9a-f]{8})/.exec(cursor);
  return uuid && parseInt(uuid[1], 16) / 2 ** 32;
}

function timeLeft(seconds) {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

// Shows where the run is, so that the last line tells where to continue even if the machine dies.
const progress = {
  seconds: Number(process.env.PROGRESS_SECONDS ?? (process.stderr.isTTY ? 1 : 10)),
  part: null,
  show(cursor) {
    const [part, now, fraction] = [cursor.split(":")[0], Date.now() / 1000, fractionDone(cursor)];
    const isNewPart = part !== this.part;
    if (isNewPart || this.begunAtFraction === null) {
      Object.assign(this, { part, begunAt: now, begunAtFraction: fraction });
    } else if (now - this.shownAt < this.seconds) {
      return;
    }
    this.shownAt = now;
    const done = fraction === null ? "" : `, ${(fraction * 100).toFixed(1)} % of this part`;
    const ratio = fraction > this.begunAtFraction && (1 - fraction) / (fraction - this.begunAtFraction);
    const left = ratio ? `, ${timeLeft((now - this.begunAt) * ratio)} left for it` : "";
    const line = `fsck: at ${cursor}${done}${left}`;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  },
};

let [cursor, mended, left] = [from, 0, 0];

function endEarly(reason) {
  say(reason);
  if (cursor) {
    const flags = [mend && "--mend", delete_unknown && "--delete-unknown"].filter(Boolean);
    const quoted = `'${cursor.replaceAll("'", `'\\''`)}'`;
    console.error(`fsck: ${mended} mended and ${left} left so far. Continue with:`);
    console.error(["ADMIN_TOKEN=… edge/fsck", base, ...flags, "--from", quoted].join(" "));
  }
  process.exit(2);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => endEarly(`ended by ${signal}`));

try {
  do {
    const page = await requestPageUntilAnswered(cursor);
    for (const { kind, subject, detail, is_mended } of page.differences) {
      if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
      console.log(`${is_mended ? "mended" : "found "}  ${kind} ${subject}: ${detail}`);
      is_mended ? mended++ : left++;
    }
    cursor = page.next_cursor;
    if (cursor !== null) progress.show(cursor);
  } while (cursor !== null);
} catch (error) {
  if (!(error instanceof TemporaryFailure || error instanceof FinalFailure)) throw error;
  endEarly(error.message);
}
if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
console.log(`${mended + left} differences, ${mended} mended, ${left} left`);
process.exitCode = left > 0 ? 1 : 0;
