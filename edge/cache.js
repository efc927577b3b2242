// Platform features that only JavaScript can import: the cache in front of the Worker, and work after the answer.

import { cache, waitUntil } from "cloudflare:workers";

export { waitUntil };

// An answer must not wait for a cache that hangs. The sweep repeats a purge that was not accepted in this time.
const TIMEOUT_MS = 3000;

// Removes all answers that have one of the tags, which are separated by commas. A cache on this machine has an address
// and takes a PURGE; Cloudflare's has a binding. Throws if the cache refuses.
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
