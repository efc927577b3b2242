//! Publication on real SQLite with the Worker's migrations.

mod interleavings;
mod rules;
