#!/bin/sh
# Fills the corpus from the conformance suite. Unsets RUSTC_BOOTSTRAP, which would make cargo rebuild everything.
set -eu
cd "$(dirname "$0")/../.."
unset RUSTC_BOOTSTRAP
exec cargo run --quiet --locked --package multipart --example fuzz_seeds
