# `make run`, `make demo` and `make test` do all of their own set-up; the other targets are for those who work on the project.

SHELL := /bin/bash
.DEFAULT_GOAL := help

WORKER_SOURCES := $(shell find contract edge probe multipart -name fuzz -prune -o -type f \
  \( -name '*.rs' -o -name 'Cargo.toml' \) -print) Cargo.toml Cargo.lock dev/build-worker

# On Linux, what `make run` starts ends with make even if that is killed.
UNLESS_ORPHANED := $(shell command -v setpriv >/dev/null && echo setpriv --pdeathsig TERM)

.PHONY: help run demo test check lint build worker docs bench fuzz clean setup

help: ## What can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: worker ## Start the whole system here; Ctrl-C ends it (PORT and STATE_DIR say where, ORIGINS how many)
	@cargo build --quiet --locked --package dev --package origin
	@exec $(UNLESS_ORPHANED) target/debug/clipgate-dev

demo: worker ## From curl to a page that plays, by itself, on the stack that runs or on an own one
	@cargo build --quiet --locked --package dev --package origin
	@dev/demo

test: setup ## Run every test
	@$(MAKE) --silent lint
	@$(MAKE) --silent build/release/index.js build/development/index.js
	@cargo build --quiet --locked --package origin
	@echo "== tests"
	@cargo test --quiet --locked --workspace

check: ## The quick ones, in seconds: formatting, lints, unit tests
	@dev/setup native
	@$(MAKE) --silent lint
	@cargo test --quiet --locked --workspace --exclude tests

lint:
	@echo "== formatting"
	@cargo fmt --all --check
	@echo "== lints"
	@cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
	@cargo clippy --quiet --locked --package edge --features development -- -D warnings

build: worker ## Build the release Worker and print its size
	@dev/worker-size release

worker:
	@dev/setup native worker
	@$(MAKE) --silent build/release/index.js

build/%/index.js: $(WORKER_SOURCES)
	@echo "== building the $* Worker"
	@dev/build-worker $*

docs: ## Write the generated documents anew: error catalogue, API description, conformance tables
	@UPDATE_DOCS=1 cargo test --quiet --locked --package edge --test documentation
	@UPDATE_DOCS=1 cargo test --quiet --locked --package probe --package multipart

bench: worker ## Memory and throughput of concurrent uploads, beside the least and the usual (docs/benchmarks.md)
	@cargo build --quiet --locked --package dev --package fixtures --example mp4 --bin clipgate-dev
	@bench/uploads

fuzz: ## Fuzz the parsers, SECONDS each (60)
	@dev/fuzz $(or $(SECONDS),60)

setup:
	@dev/setup

clean: ## Remove everything that was built or kept, installed tools included
	@rm -rf target build .dev .wrangler node_modules
