// The pages of the documentation site.
import { readdirSync } from "node:fs";

// The pages that are written by hand, in the order of the menu. `source` is a file of the repository.
export const SECTIONS = [
  {
    title: "Start",
    pages: [
      { source: "docs/quick-start.md", url: "/docs/quick-start" },
      { source: "docs/console.md", url: "/docs/console" },
      { source: "docs/clients.md", url: "/docs/clients" },
      { source: "docs/direct-uploads.md", url: "/docs/direct-uploads" },
      { source: "docs/try-direct-upload.md", url: "/docs/try-direct-upload", layout: "try.njk" },
      { source: "docs/webhooks.md", url: "/docs/webhooks" },
      { source: "docs/versions.md", url: "/docs/versions" },
      { source: "CHANGELOG.md", url: "/docs/changelog" },
    ],
  },
  {
    title: "How it works",
    pages: [
      { source: "docs/media.md", url: "/docs/media" },
      { source: "docs/probe.md", url: "/docs/probe" },
      { source: "docs/probe-conformance.md", url: "/docs/probe-conformance" },
      { source: "docs/multipart-conformance.md", url: "/docs/multipart-conformance" },
      { source: "docs/serving.md", url: "/docs/serving" },
      { source: "docs/benchmarks.md", url: "/docs/benchmarks" },
      { source: "SECURITY.md", url: "/docs/security" },
    ],
  },
  {
    title: "Design",
    pages: [
      { source: "ARCHITECTURE.md", url: "/docs/architecture" },
      { source: "docs/design/upload.md", url: "/docs/design/upload" },
      { source: "docs/design/job.md", url: "/docs/design/job" },
      { source: "docs/design/view.md", url: "/docs/design/view" },
      { source: "docs/design/change.md", url: "/docs/design/change" },
      { source: "docs/design/removal.md", url: "/docs/design/removal" },
      { source: "docs/design/capacity.md", url: "/docs/design/capacity" },
      { source: "docs/decisions/README.md", url: "/docs/decisions" },
    ],
  },
  {
    title: "For operators",
    pages: [
      { source: "docs/deploy.md", url: "/docs/deploy" },
      { source: "docs/origin.md", url: "/docs/origin" },
      { source: "docs/runbook.md", url: "/docs/runbook" },
      { source: "docs/privacy.md", url: "/docs/privacy" },
      { source: "docs/costs.md", url: "/docs/costs" },
      { source: "docs/sandbox.md", url: "/docs/sandbox" },
      { source: "docs/sessions.md", url: "/docs/sessions" },
      { source: "docs/moderation.md", url: "/docs/moderation" },
      { source: "docs/moderation-queue.md", url: "/docs/moderation-queue" },
      { source: "docs/classifier.md", url: "/docs/classifier" },
    ],
  },
];

// The decisions. The menu has only their index, which links to each.
export const DECISIONS = readdirSync("docs/decisions")
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((name) => ({ source: `docs/decisions/${name}`, url: `/docs/decisions/${name.slice(0, -".md".length)}` }));

// The descriptions of the API. Each gets a page for each of its tags.
export const DESCRIPTIONS = [
  { title: "Reference", source: "edge/site/openapi.json", url: "/docs/reference" },
  { title: "Internal reference", source: "docs/internal-openapi.json", url: "/docs/internal-reference" },
];

export const ERRORS = { source: "docs/errors.md", url: "/docs/errors" };

// Files that pages link to, as they are.
export const FILES = {
  "tests/description/life_cycle.py": "/docs/examples/life_cycle.py",
  "tests/description/life_cycle.ts": "/docs/examples/life_cycle.ts",
  "docs/internal-openapi.json": "/docs/internal-openapi.json",
  "edge/site/openapi.json": "/openapi.json",
};
