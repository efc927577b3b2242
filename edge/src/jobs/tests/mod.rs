//! The jobs on real SQLite with the Worker's migrations.

mod claims;
pub(crate) mod completion;
mod dead_letters;
mod interleavings;
mod origin_keys;
mod reports;
pub(crate) mod scene;
mod transitions;

pub(crate) use scene::{processed, stored_media, with_subtitles};
