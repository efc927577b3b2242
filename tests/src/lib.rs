//! The end-to-end tests live in `e2e/` and `browser/`, one file a promise, and `configuration.rs`.
