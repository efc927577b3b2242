//! The way of an upload on real SQLite and a platform that can be struck.

mod crash_matrix;
mod interleavings;
mod refusals;
mod repetition;
mod scene;
mod sweeping;
