// Platform features that only JavaScript can import: the cache in front of the Worker, and work after the response.

import { cache, waitUntil } from "cloudflare:workers";

export { waitUntil };

// A response must not wait for a cache that hangs. The sweep repeats a purge that was not accepted in this time.
const TIMEOUT_MS = 3000;

// Purges all responses that have one of the comma-separated tags: with a PURGE request to the address of a local cache,
// or through Cloudflare's binding. Throws if the cache rejects the purge.
export async function purge(tags, address) {
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the cache did not answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  });
  try {
    await Promise.race([timeout, address ? purgeLocally(tags, address) : purgeAtCloudflare(tags)]);
  } finally {
    clearTimeout(timer);
  }
}

async function purgeLocally(tags, address) {
  const answer = await fetch(address, { method: "PURGE", headers: { "Cache-Tag": tags } });
  if (!answer.ok) throw new Error(`the cache answered ${answer.status}`);
}

async function purgeAtCloudflare(tags) {
  const { success, errors } = await cache.purge({ tags: tags.split(",") });
  if (!success) throw new Error(errors.map(({ code, message }) => `${code} ${message}`).join(", "));
}
