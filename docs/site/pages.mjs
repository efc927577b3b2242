// The pages of the documentation site.
import { readdirSync } from "node:fs";

const publish = (name, more = {}) => ({ source: `docs/publish/${name}.md`, url: `/docs/publish/${name}`, ...more });
const page = (source, name) => ({ source, url: `/docs/${name}` });

// The parts of the site, one for each kind of reader. A reader's menu shows one part, in this order. `source` is a file of
// the repository; `keywords` are words that readers search for and the page does not use.
export const DOORS = [
  {
    title: "Publish videos",
    about: "Upload videos from your code, and follow and manage them.",
    sections: [
      {
        title: "Start",
        pages: [
          publish("quick-start", { keywords: "getting started tutorial first upload hello world" }),
          page("docs/console.md", "console"),
          publish("api-key", { keywords: "rotate key authentication authorization bearer credentials secret leaked revoke" }),
          publish("cli", { keywords: "command line terminal tool shell script" }),
          publish("programs", { keywords: "SDK library client example code sample Python Node.js JavaScript TypeScript OpenAPI" }),
        ],
      },
      {
        title: "Upload",
        pages: [
          publish("upload", { keywords: "send post file multipart form fields idempotent" }),
          publish("large-files", { keywords: "resume resumable tus chunk interrupted pause continue big" }),
          publish("direct-uploads", { keywords: "CORS browser phone mobile app one-time token presigned user" }),
          publish("try-direct-upload", { layout: "try.njk" }),
          publish("retries", { keywords: "idempotency idempotent duplicate Idempotency-Key upload_token" }),
        ],
      },
      {
        title: "Follow",
        pages: [
          publish("status", { keywords: "state progress poll processing published rejected" }),
          publish("moderation", { keywords: "rejected taken down removed review reviewed banned policy rules content moderation" }),
          publish("events", { keywords: "log feed stream history" }),
          publish("failed-requests", { keywords: "log debug what went wrong errors of my program history user agent" }),
          publish("webhooks", { keywords: "webhook signature signing secret verify notification callback endpoint" }),
          publish("test-mode", { keywords: "sandbox simulate testing mock dry run staging" }),
        ],
      },
      {
        title: "Manage",
        pages: [
          publish("find", { keywords: "pagination paging list cursor page filter search query" }),
          publish("change", { keywords: "update edit delete remove caption title" }),
          publish("thumbnails", { keywords: "thumbnail poster cover picture image frame" }),
          publish("captions", { keywords: "subtitles WebVTT SRT language translation" }),
          publish("labels", {
            keywords: "unlisted private hidden video NSFW sensitive adult mature content warning AI generated noindex SEO",
          }),
          publish("schedule", { keywords: "publish later time date release approval draft" }),
        ],
      },
      {
        title: "Look up",
        pages: [
          publish("limits", {
            keywords: "maximum file size duration length rate limit quota 429 formats resolution retention too large too many requests",
          }),
          publish("errors-and-retries", { keywords: "retry backoff failure error handling status code 4xx 5xx" }),
          publish("versions", { keywords: "breaking changes deprecation compatibility stability" }),
          page("CHANGELOG.md", "changelog"),
        ],
      },
    ],
  },
  {
    title: "Run it",
    about: "Deploy and operate the service and its origins, and connect a site.",
    sections: [
      {
        title: "Operate",
        pages: [
          page("docs/deploy.md", "deploy"),
          page("docs/origin.md", "origin"),
          page("docs/runbook.md", "runbook"),
          page("docs/costs.md", "costs"),
          page("docs/privacy.md", "privacy"),
        ],
      },
      {
        title: "Connect",
        pages: [
          page("docs/sessions.md", "sessions"),
          page("docs/classifier.md", "classifier"),
          page("docs/serving.md", "serving"),
        ],
      },
    ],
  },
  {
    title: "Moderate",
    about: "Review videos, decide, and understand the automatic checks.",
    sections: [
      {
        title: "Moderate",
        pages: [page("docs/moderation-queue.md", "moderation-queue"), page("docs/moderation.md", "moderation")],
      },
    ],
  },
  {
    title: "Change it",
    about: "Understand the code, its design and its promises, and contribute.",
    sections: [
      {
        title: "Contribute",
        pages: [
          page("CONTRIBUTING.md", "contributing"),
          page("ARCHITECTURE.md", "architecture"),
          page("docs/life-of-a-video.md", "life-of-a-video"),
          page("SECURITY.md", "security"),
        ],
      },
      {
        title: "Design",
        pages: [
          ...["upload", "job", "view", "change", "removal", "capacity"].map((name) =>
            page(`docs/design/${name}.md`, `design/${name}`),
          ),
          page("docs/decisions/README.md", "decisions"),
        ],
      },
      {
        title: "Promises",
        pages: [
          page("docs/media.md", "media"),
          page("docs/probe.md", "probe"),
          page("docs/probe-conformance.md", "probe-conformance"),
          page("docs/multipart-conformance.md", "multipart-conformance"),
          page("docs/sandbox.md", "sandbox"),
          page("docs/benchmarks.md", "benchmarks"),
        ],
      },
    ],
  },
];

// The first page, which is in no door.
export const HOME = { source: "docs/site/index.md", url: "/docs", title: "Documentation" };

// The decisions. The menu has only their index, which links to each.
export const DECISIONS = readdirSync("docs/decisions")
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((name) => ({ source: `docs/decisions/${name}`, url: `/docs/decisions/${name.slice(0, -".md".length)}` }));

// The descriptions of the API, each in a door. Each gets a page for each of its tags and operations.
export const DESCRIPTIONS = [
  { title: "Reference", door: "Publish videos", source: "edge/site/openapi.json", url: "/docs/reference" },
  { title: "Internal reference", door: "Run it", source: "docs/internal-openapi.json", url: "/docs/internal-reference" },
];

// The error codes. Those that only internal operations return belong to the second door.
export const ERRORS = { source: "docs/errors.md", url: "/docs/errors" };
export const INTERNAL_ERRORS = { url: "/docs/internal-errors" };

// Files that pages link to, as they are.
export const FILES = {
  "tests/description/life_cycle.py": "/docs/examples/life_cycle.py",
  "tests/description/life_cycle.ts": "/docs/examples/life_cycle.ts",
  "docs/internal-openapi.json": "/docs/internal-openapi.json",
  "edge/site/openapi.json": "/openapi.json",
};
