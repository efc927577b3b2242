//! The facts about the sound of a source.

use super::description::StreamEntry;
use super::timing::StreamTiming;

/// If the sound begins later than this, in seconds, the outputs begin with silence. A shorter delay does no harm.
const MAX_DELAY_SECONDS: f64 = 0.05;

/// The sound.
#[derive(Clone, Debug, PartialEq)]
pub struct AudioStream {
    pub stream: usize,
    pub codec: String,
    pub profile: String,
    pub channels: u32,
    pub sample_rate: u32,
    /// Seconds on the timeline that starts with the first thing played.
    pub start: f64,
    pub end: f64,
}

impl AudioStream {
    /// `zero` is the start of the timeline.
    pub(super) fn new(stream: &StreamEntry, timing: &StreamTiming, zero: f64) -> Self {
        Self {
            stream: stream.index,
            codec: stream.codec_name.clone(),
            profile: stream.profile.clone(),
            channels: stream.channels,
            sample_rate: stream.sample_rate.parse().unwrap_or(0),
            start: timing.start - zero,
            end: timing.end - zero,
        }
    }

    /// Whether the sound needs padding or trimming to begin at zero.
    pub(crate) fn needs_alignment(&self) -> bool {
        !(0.0..MAX_DELAY_SECONDS).contains(&self.start)
    }
}
