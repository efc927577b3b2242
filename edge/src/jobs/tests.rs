//! The jobs on real SQLite with the Worker's migrations.

mod claims;
mod interleavings;
mod reports;
pub mod scene;
mod steps;
mod sweeping;

pub use scene::{processed, stored_media};
