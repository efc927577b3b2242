// The error codes by what the reader can do.

// 429 for the rest of the day: waiting for a few seconds does not help.
const DAILY = new Set(["content_upload_limit_failure", "daily_change_limit_reached"]);

// The first group that has a code gets it.
const GROUPS = [
  {
    id: "daily-limit",
    title: "Wait for the next day",
    about: "A daily limit is reached. `Retry-After` says when the next day begins.",
    has: ({ code }) => DAILY.has(code),
  },
  {
    id: "retry",
    title: "Wait, then retry",
    about:
      "The same request can succeed later. Wait for `Retry-After` seconds if the response has it, or else retry with " +
      "backoff.",
    has: ({ code, status }) => ["408", "429", "500", "503"].includes(status) || code === "upload_in_progress",
  },
  {
    id: "credentials",
    title: "Check the credentials",
    about: "The request has no valid credential, or one that does not allow this. Retrying does not help.",
    has: ({ status }) => ["401", "403"].includes(status),
  },
  {
    id: "file",
    title: "Change the video or its files",
    about:
      "The service does not accept the video, its thumbnail or its captions. Send another file. A video that was accepted " +
      "can still get one of these codes while it is processed.",
    has: ({ isOfVideo }) => isOfVideo,
  },
  {
    id: "not-found",
    title: "Check the address or the id",
    about: "Nothing exists with this address or id. It may be misspelled, deleted, or belong to another channel.",
    has: ({ status }) => status === "404",
  },
  {
    id: "state",
    title: "Check the state first",
    about: "The request is correct, but the current state does not allow it. Do what the table says first.",
    has: ({ status }) => status === "409",
  },
  {
    id: "request",
    title: "Correct the request",
    about: "The request has an invalid header, field or value. `field` names the field, and `detail` says what to send.",
    has: () => true,
  },
];

/**
 * Returns the groups that have errors, each with its errors in the given order.
 * @param {{ code: string, status: string | null, isOfVideo: boolean }[]} errors
 */
export function groupErrors(errors) {
  const idOf = (error) => GROUPS.find(({ has }) => has(error)).id;
  const groups = GROUPS.map(({ id, title, about }) => ({
    id, title, about, errors: errors.filter((error) => idOf(error) === id),
  }));
  return groups.filter(({ errors }) => errors.length);
}
