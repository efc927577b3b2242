//! The facts about the sound of a source.

use super::description::StreamEntry;
use super::timing::StreamTiming;

/// If the sound begins later than this, in seconds, the outputs begin with silence. A shorter delay does no harm.
const MAX_DELAY_SECONDS: f64 = 0.05;

/// The adjustment that makes the sound begin at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    Unnecessary,
    /// The sound begins late and is preceded by silence.
    Pad,
    /// The sound begins early and loses its beginning.
    Cut,
}

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

    /// Returns what makes the sound begin at zero.
    pub(crate) fn alignment(&self) -> Alignment {
        if self.start < 0.0 {
            Alignment::Cut
        } else if self.start < MAX_DELAY_SECONDS {
            Alignment::Unnecessary
        } else {
            Alignment::Pad
        }
    }
}
