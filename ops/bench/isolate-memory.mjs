// Prints the peak memory of the isolate of the user's Worker, in bytes, when asked to end: V8's heap, garbage included,
// and the buffers outside it, such as wasm's memory. Cloudflare limits this to 128 MB. The resident memory of workerd
// also includes the local D1, KV and R2.
//
// Usage: isolate-memory.mjs PORT... (the ports on which workerd listens, including wrangler's inspector)
import { createRequire } from "node:module";

const SAMPLE_MS = 250;
// Wrangler's inspector refuses the browser's WebSocket, which sends an Origin.
const require = createRequire(import.meta.url);
const { WebSocket } = createRequire(require.resolve("wrangler/package.json"))("ws");

async function targets(port) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(2000) });
    return await answer.json();
  } catch {
    return []; // Not an inspector.
  }
}

// Wrangler's inspector names the user's Worker by a UUID. The names that workerd gives its own services are words.
const all = (await Promise.all(process.argv.slice(2).map(targets))).flat();
const worker = all.find(({ id }) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id));
if (!worker) throw new Error("wrangler's inspector was not found");

let most = 0;
const inspector = new WebSocket(worker.webSocketDebuggerUrl);
inspector.on("open", () => setInterval(() => inspector.send('{"id":1,"method":"Runtime.getHeapUsage"}'), SAMPLE_MS));
inspector.on("message", (message) => {
  const { id, result } = JSON.parse(message);
  if (id === 1 && result?.totalSize) most = Math.max(most, result.totalSize + result.backingStorageSize);
});
process.on("SIGTERM", () => {
  console.log(most);
  process.exit(most > 0 ? 0 : 1);
});
