//! The end-to-end tests live in `e2e/` (the edge), `origin/` (real origins) and `browser/`, one file a promise, and
//! `configuration.rs`.
