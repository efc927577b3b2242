// The page of each error code, from the generated tables of docs/errors.md.

/**
 * Returns one entry for each code: its status if requests are answered with it, and the advice of each table.
 * @param {string} markdown
 * @returns {{ code: string, status: string | null, advice: string, isOfVideo: boolean }[]}
 */
export function readErrors(markdown) {
  const errors = new Map();
  for (const line of markdown.split("\n")) {
    const row = line.match(/^\| `([a-z0-9_]+)` \|(?: (\d+) \|)? (.+) \|$/);
    if (!row) continue;
    const [, code, status, advice] = row;
    const error = errors.get(code) ?? { code, status: null, advice, isOfVideo: false };
    errors.set(code, status ? { ...error, status } : { ...error, isOfVideo: true });
  }
  return [...errors.values()];
}

/**
 * Returns the operations that can be answered with the code.
 * @param {string} code @param {{ responses: { codes: string[] }[] }[]} operations
 */
export function operationsWith(code, operations) {
  return operations.filter(({ responses }) => responses.some(({ codes }) => codes.includes(code)));
}
