//! The end-to-end tests live in `e2e/`, one file a promise, and `configuration.rs`.
