# `make run`, `make demo`, `make test` and `make check` install what they need. `make help` lists all targets.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# Everything that is compiled or bundled into the Worker. Pages embed the style sheets.
WORKER_SOURCES := $(shell find edge crates/contract crates/multipart crates/probe crates/similar_hashes crates/subtitles ops/dev/bind-worker \
  \( -name fuzz -o -name tests -o -name benches -o -name target \) -prune -o \
  -type f \( -name '*.rs' -o -name 'Cargo.toml' -o -path 'edge/site/*.css' -o -path 'edge/page-script/*' \) -print) \
  edge/entry.js edge/cache.js edge/webhook.js Cargo.toml Cargo.lock package-lock.json ops/dev/build-worker

# Everything that the documentation site is made of.
SITE_SOURCES := $(shell find docs -type f -not -name .gitkeep) ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md \
  edge/pages/kit/tokens.css \
  edge/site/openapi.json tests/description/life_cycle.py tests/description/life_cycle.ts package-lock.json ops/dev/build-site

# Everything that the console and the desk are made of.
PAGE_SOURCES := $(shell find edge/pages -type f -not -name openapi.d.ts) edge/site/openapi.json docs/errors.md \
  docs/site/errors.mjs package-lock.json ops/dev/build-pages

# On Linux, the stack ends when make ends, even if make is killed.
TIED_TO_PARENT := $(shell command -v setpriv >/dev/null && echo setpriv --pdeathsig TERM)

# Two builds at a time: the set-up waits for downloads, and the Worker's long link step keeps only one core busy.
PARALLEL := $(MAKE) --silent --jobs=2

.PHONY: help run demo test check soak mutants lint format clippy doc scripts hygiene build origin origin-package origin-image client worker \
  worker-of-commit site console desk console-check stack test-programs docs shape bench drill fuzz fuzz-verdict contract-fuzz release release-packages deploy close open clean worker-sources

help: ## List the targets
	@grep -hE '^[a-z -]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 15

run: ## Run the whole system in the foreground until Ctrl-C (PORT, STATE_DIR, ORIGINS and CACHE=off configure it; `cargo run -p dev -- --help` lists all options)
	@ops/dev/setup compiler
	@$(PARALLEL) worker stack
	@exec $(TIED_TO_PARENT) target/debug/clipgate-dev

demo: ## Upload a clip with curl and print the address of its page; starts the system if `make run` is not running
	@ops/dev/setup compiler
	@$(PARALLEL) worker stack
	@ops/dev/demo

test: ## Run all checks and tests, including the end-to-end tests
	@ops/dev/setup compiler media cache lint worker
	@ops/dev/run-tests

check: ## Run the quick checks: format, lints and most unit tests, without Node.js or the Worker
	@ops/dev/setup compiler media lint
	@$(MAKE) --silent format scripts clippy
	@echo "== unit tests"
	@ops/dev/unit-tests --quick

soak: ## Run `make test` with DEEP=1: property tests with many more cases, all combinations of large products, longer crash and load tests
	@DEEP=1 $(MAKE) --silent test

mutants: ## Mutation-test FILES='edge/src/viewing/range.rs', or SAMPLE=200 changes of the edge and its parsers (40 minutes): print changes that no unit test notices
	@ops/dev/mutants $(FILES)

lint: format scripts clippy doc

format:
	@echo "== format"
	@cargo fmt --all --check
	@ops/dev/check-comments

scripts:
	@echo "== shell scripts"
	@ops/dev/check-scripts

clippy:
	@echo "== clippy"
	@# The feature only adds code. Warnings without it are found when the release Worker is built.
	@cargo clippy --quiet --locked --workspace --all-targets --features edge/development -- -D warnings

doc:
	@echo "== documentation"
	@# With the same features as clippy, so that nothing is checked again.
	@RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --workspace --no-deps --document-private-items \
	  --features edge/development

hygiene: ## Check dependencies for advisories, licences and sources with cargo-deny (building it takes minutes)
	@ops/dev/cargo-tool deny --all-features check

build: worker ## Build the release Worker and print its size
	@ops/dev/worker-size release

origin: ## Build the release of clipgate-origin, in target/release
	@ops/dev/setup compiler
	@CLIPGATE_COMMIT=$$(ops/dev/commit) cargo build --quiet --release --locked --package origin

origin-package: origin ## Pack the release of clipgate-origin with its unit and an example of its configuration, in dist (docs/origin.md)
	@ops/dev/package-origin target/release/clipgate-origin dist

origin-image: origin ## Build a container image of clipgate-origin without a registry, in dist (needs buildah and mmdebstrap; docs/origin.md)
	@ops/dev/origin-image target/release/clipgate-origin dist

worker:
	@ops/dev/setup compiler worker
	@$(MAKE) --silent build/release/index.js

# The release Worker, built again if it names another commit.
worker-of-commit:
	@[ "$$(cat build/release/commit 2>/dev/null)" = "$$(ops/dev/commit)" ] || rm -f build/release/index.js
	@$(MAKE) --silent worker

build/%/index.js: $(WORKER_SOURCES) | site console desk
	@echo "== building the $* Worker"
	@ops/dev/build-worker $*

site: edge/site/docs/index.html ## Build the documentation site from docs/ into edge/site/docs, from where the Worker serves it at /docs; building the Worker does it too

edge/site/docs/index.html: $(SITE_SOURCES)
	@echo "== building the documentation site"
	@ops/dev/build-site

console: edge/site/console/index.html ## Build the console from edge/console into edge/site/console, from where the Worker serves it at /console; building the Worker does it too

desk: edge/site/desk/index.html ## Build the moderators' desk from edge/desk into edge/site/desk, from where the Worker serves it at /desk; building the Worker does it too

edge/site/console/index.html: $(PAGE_SOURCES) $(shell find edge/console -type f)
	@echo "== building the console"
	@ops/dev/build-pages console

edge/site/desk/index.html: $(PAGE_SOURCES) $(shell find edge/desk -type f)
	@echo "== building the desk"
	@ops/dev/build-pages desk

# Checks the types of the console and the desk, and tests their logic and that of the public pages' script.
console-check:
	@ops/dev/build-pages --check
	@node_modules/.bin/node --test --test-reporter=dot 'edge/{page-script,pages,console,desk}/**/*.test.js'

# For ops/dev/tests/worker_sources.rs.
worker-sources:
	@printf '%s\n' $(WORKER_SOURCES)

# The two variants share a target folder, so they are built one after the other.
build/development/index.js: | build/release/index.js

# Not the release of the origin, which takes minutes more to build: ffmpeg does nearly all of the work, and the crates that
# hash and decode are optimised in this build too (Cargo.toml).
stack:
	@ops/dev/setup compiler media cache
	@echo "== building the stack"
	@cargo build --quiet --locked --package dev --package origin

test-programs:
	@echo "== building the tests"
	@cargo build --quiet --locked --workspace --lib --bins --tests

client: ## Build `clipgate`, the command-line client, as a static program with musl, which it installs, and print its size (TARGET names another target)
	@ops/dev/setup compiler $(if $(TARGET),,client)
	@ops/dev/build-client

docs: ## Update the generated documents: error catalogue, limits, API description, life of a video, triggers, and conformance tables if the test vectors are present
	@UPDATE_DOCS=1 cargo test --quiet --locked --package edge --test documentation
	@UPDATE_DOCS=1 cargo test --quiet --locked --package edge --lib -- life::tests testing::schema
	@UPDATE_DOCS=1 cargo test --quiet --locked --package probe --package multipart

shape: ## Print figures about the maintainability of the edge: columns, triggers, writers of each table, lines
	@ops/dev/shape

bench: worker ## Measure memory and throughput of concurrent uploads, beside two other Workers (docs/benchmarks.md lists all benchmarks)
	@cargo build --quiet --locked --package dev --package fixtures --example mp4 --bin clipgate-dev
	@ops/bench/uploads
	@ops/bench/uploads --rounds 1 --size 20000000 --rate 300 8 64 200

fuzz: ## Fuzz each parser for SECONDS (60) with cargo-fuzz, which it installs
	@ops/dev/fuzz $(or $(SECONDS),60)

fuzz-verdict: ## Compare verdicts on mutants of real clips with what ffmpeg decodes, then with an origin's verdicts, for SECONDS (300) (docs/probe.md)
	@ops/dev/setup compiler media
	@export VERDICT_SEED=$(or $(SEED),1000) VERDICT_SECONDS=$$(($(or $(SECONDS),300) / 2)); failed=0; \
	  cargo test --release --quiet --locked --package probe --test prober -- mutants:: --nocapture || failed=1; \
	  cargo test --quiet --locked --workspace --test media -- --nocapture mutants || failed=1; exit $$failed

contract-fuzz: ## Compare responses to random requests with the OpenAPI documents for SECONDS (300), using schemathesis
	@ops/dev/setup compiler media worker tests
	@$(MAKE) --silent build/development/index.js
	@CONTRACT_FUZZ_SECONDS=$(or $(SECONDS),300) cargo test --quiet --locked --workspace --test e2e -- fuzzer

release: ## Release VERSION=1.2.3: changelog, version, commit, SBOMs, packages, checksums and tag, without a push (DRY_RUN=1 only reports; CONTRIBUTING.md)
	@test -n "$(VERSION)" || { echo "usage: make release VERSION=1.2.3" >&2; exit 2; }
	@ops/dev/release $(if $(DRY_RUN),check,prepare) $(VERSION)
	@$(if $(DRY_RUN),,$(MAKE) --silent release-packages VERSION=$(VERSION))

# The Worker names its commit, so it is built again after the release's commit.
release-packages:
	@rm -rf dist/$(VERSION)
	@$(MAKE) --silent worker-of-commit origin
	@ops/dev/release sbom $(VERSION)
	@ops/dev/release pack $(VERSION) build/release target/release/clipgate-origin
	@ops/dev/release tag $(VERSION)

deploy: ## Deploy the environment ENV of ops/deploy/environments.toml to Cloudflare (DRY_RUN=1, ADOPT=1, RECREATE=1, TRIAL=ACCOUNT_ID, PEPPER=begin|switch|end; docs/deploy.md)
	@test -n "$(ENV)" || { echo "usage: make deploy ENV=production" >&2; exit 2; }
	@$(MAKE) --silent worker-of-commit
	@cargo run --quiet --locked --package deploy -- $(ENV) $(if $(DRY_RUN),--dry-run) $(if $(ADOPT),--adopt) \
	  $(if $(RECREATE),--recreate) $(if $(TRIAL),--trial $(TRIAL)) $(if $(PEPPER),--pepper $(PEPPER))

close open: ## Close the deployed environment ENV to everyone but operators, for example while its database is restored, or open it again (docs/deploy.md)
	@test -n "$(ENV)" || { echo "usage: make $@ ENV=production" >&2; exit 2; }
	@cargo run --quiet --locked --package deploy -- $(ENV) --$@

drill: ## Let NAME=d1|r2|kv|queue of the running system fail for a while, or run drill restore|rotation|outage on a system of its own (docs/runbook.md)
	@ops/dev/drill $(NAME)

clean: ## Remove everything that was built, downloaded or kept, including local databases and tools
	@rm -rf target build dist .dev .wrangler node_modules tests/description/node_modules
