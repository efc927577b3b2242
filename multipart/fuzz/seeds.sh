#!/bin/sh
# Fills the corpus from the conformance suite. Without the fuzzer's RUSTC_BOOTSTRAP, which would make cargo build anew.
set -eu
cd "$(dirname "$0")/../.."
unset RUSTC_BOOTSTRAP
exec cargo run --quiet --locked --package multipart --example fuzz_seeds
