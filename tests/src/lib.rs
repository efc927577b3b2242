//! The end-to-end tests live in `e2e/` (the edge) and `origin/` (real origins), one file a promise, and `configuration.rs`.
