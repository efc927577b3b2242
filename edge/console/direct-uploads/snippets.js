// How the user's device uploads with a token.

/**
 * @typedef {import("../../pages/openapi").components["schemas"]["DirectUploadCreated"]} Created
 * @param {Created} created
 * @param {{ origin?: string, user_may_set: string[] }} rules
 */
export function uploadCommands(created, { origin, user_may_set }) {
  const curl = { name: "curl", text: withCurl(created) };
  // Browsers cannot use a token without an origin.
  return origin ? [{ name: "JavaScript", text: inBrowser(created, user_may_set) }, curl] : [curl];
}

/** The fields that a page can send as text. @type {Record<string, string>} */
const EXAMPLES = { caption: "My first video #fun" };

/** @param {Created} created @param {string[]} userMaySet */
function inBrowser({ token, tus_endpoint }, userMaySet) {
  const examples = Object.entries(EXAMPLES).filter(([name]) => userMaySet.includes(name));
  const metadata = examples.map(([name, value]) => ` ${name}: ${JSON.stringify(value)} `).join(",");
  return `// npm install tus-js-client
import { Upload } from "tus-js-client";

const [file] = document.querySelector("input[type=file]").files;
const upload = new Upload(file, {
  endpoint: ${JSON.stringify(tus_endpoint)},
  headers: { Authorization: ${JSON.stringify(`Bearer ${token}`)} },
  metadata: {${metadata}},
  chunkSize: 40 * 1024 * 1024,
  retryDelays: [0, 1000, 3000, 5000, 10000],
  removeFingerprintOnSuccess: true,
  onProgress: (sent, total) => console.log(\`\${Math.round((100 * sent) / total)} %\`),
  onError: (error) => {
    console.log(error.originalResponse?.getHeader("Clipgate-Error-Code") ?? error.message);
  },
  onSuccess: ({ lastResponse }) => console.log(lastResponse.getHeader("Clipgate-Content-Uuid")),
});
upload.start();`;
}

/** @param {Created} created */
function withCurl({ token, upload_url }) {
  return [`curl -sS ${upload_url}`, `-H "Authorization: Bearer ${token}"`, "-F file=@clip.mp4"].join(" \\\n  ");
}
