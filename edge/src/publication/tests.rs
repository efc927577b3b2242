//! Publication on real SQLite with the Worker's migrations.

mod doing;
mod interleavings;
mod rules;
