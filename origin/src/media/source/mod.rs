//! Establishes the facts about a source.
//!
//! In: an untrusted file. Out: an [`Inspection`] on which our prober, ffprobe's description and the packets agree, the
//! [`Loudness`] of its sound, or the reason why the file is rejected. Must not depend on what becomes of the file.

mod audio;
mod closed_captions;
mod complexity;
mod description;
#[cfg(test)]
pub(super) mod examples;
mod inspection;
mod language;
mod listing;
mod loudness;
mod meter;
mod packets;
mod subtitles;
mod timing;
mod video;

pub use audio::{Alignment, AudioStream};
pub(super) use complexity::{COARSER, Demand, Look};
pub(super) use description::{StreamEntry, describe_output};
pub(super) use inspection::probe_file;
pub use inspection::{Inspection, inspect};
pub use language::Language;
pub(super) use loudness::SAMPLE_RATE;
pub use loudness::{Gain, Loudness};
pub(super) use meter::{SoundMeter, measure_loudness, standard_sound};
pub(super) use packets::Packets;
pub use subtitles::{SubtitleKind, SubtitleStream};
pub use video::VideoStream;
