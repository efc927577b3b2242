// The lines of a program that would send the same upload.

/**
 * @param {string} uploadUrl
 * @param {{ name: string, size: number } | null} file
 * @param {Record<string, string>} fields By their names in the API.
 * @param {number} largestForm The bytes of a file that one request may carry.
 */
export function commandsFor(uploadUrl, file, fields, largestForm) {
  const name = file?.name ?? "clip.mp4";
  const isLarge = (file?.size ?? 0) > largestForm;
  return [
    { name: "curl", text: isLarge ? curlIsTooSmall(largestForm) : curl(uploadUrl, name, fields) },
    { name: "clipgate", text: clipgate(name, fields) },
    { name: "JavaScript", text: javascript(uploadUrl, name, fields) },
  ];
}

/** @param {string} uploadUrl @param {string} name @param {Record<string, string>} fields */
function curl(uploadUrl, name, fields) {
  const lines = [
    `curl -sS ${shell(`${uploadUrl}/api/php/developer/upload_video`)}`,
    '-H "Authorization: Bearer $API_KEY"',
    '-F upload_token="$(uuidgen)"',
    // With --form-string, a text that begins with @ or < is not taken for a file.
    ...Object.entries(fields).map(([field, value]) => `--form-string ${shell(`${field}=${value}`)}`),
    `-F ${shell(`file=@${curlName(name)}`)}`,
  ];
  return lines.join(" \\\n  ");
}

/** Quotes a file's name for curl, which reads commas and semicolons as its own. @param {string} name */
function curlName(name) {
  return /^[\w.-]+$/.test(name) ? name : `"${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** @param {number} largestForm */
function curlIsTooSmall(largestForm) {
  return [
    `# One request carries ${largestForm / 1e6} MB. This file is larger:`,
    "# use clipgate or a tus client, which send it in parts.",
  ].join("\n");
}

/** @type {Record<string, string>} */
const OPTIONS = {
  caption: "--caption", super_category_id: "--category", thumbnail_time: "--thumbnail-time",
  scheduled_publish_at_unix: "--publish-at", ai_summary_of_content: "--summary", visibility: "--visibility",
};
/** The options that have no value: the form sends these fields only to set them. @type {Record<string, string>} */
const FLAGS = { is_sensitive: "--sensitive", is_ai_generated: "--ai-generated" };

/** @param {string} name @param {Record<string, string>} fields */
function clipgate(name, fields) {
  // Written with "=", a value that begins with a dash is not taken for an option. Nor is a name after "--".
  const options = Object.entries(fields).map(([field, value]) => FLAGS[field] ?? `${OPTIONS[field]}=${shell(value)}`);
  const last = `${name.startsWith("-") ? "-- " : ""}${shell(name)}`;
  return ["clipgate upload --wait", ...options, last].join(options.length ? " \\\n  " : " ");
}

/** @param {string} uploadUrl @param {string} name @param {Record<string, string>} fields */
function javascript(uploadUrl, name, fields) {
  const metadata = Object.entries(fields).map(([field, value]) => `    ${field}: ${JSON.stringify(value)},\n`).join("");
  return `// npm install tus-js-client
import { createReadStream } from "node:fs";
import { Upload } from "tus-js-client";

new Upload(createReadStream(${JSON.stringify(name)}), {
  endpoint: ${JSON.stringify(`${uploadUrl}/api/php/developer/resumable_uploads`)},
  headers: { Authorization: \`Bearer \${process.env.API_KEY}\` },
  metadata: {${metadata ? `\n${metadata}  ` : ""}},
  chunkSize: 40 * 1024 * 1024,
  retryDelays: [0, 1000, 3000, 5000, 10000],
  onSuccess: ({ lastResponse }) => console.log(lastResponse.getHeader("Clipgate-Content-Uuid")),
}).start();`;
}

/** Quotes a word for a shell, unless it needs no quotes. @param {string} word */
export function shell(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
