//! FLV: a list of tags, each with its own timestamp.
//!
//! `onMetaData` gives a provisional verdict. The timestamps of all tags decide. This module must not depend on other
//! containers.

mod script;
mod tags;

use crate::bytes::{array, u8_at, u24_be, u32_be, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::reconcile::{DeclaredLength, ObservedSpan, final_duration};
use crate::time::{NANOS_PER_MILLI, millis, nanos_from_seconds};
use crate::timeline::{TimedFrame, combined_span, proven};
use crate::{Container, DurationSource, FileRefusal, Media};
use script::ScriptMetadata;
use tags::MediaTags;

const TAG_HEADER: usize = 11;
/// Each tag is followed by its length.
const TRAILER: u64 = 4;
/// The values needed are in the first bytes of the script tag. Key-frame lists that follow them are not needed.
const SCRIPT: usize = 4096;
/// Enough of a tag for the codec, packet type and picture size.
const TAG_START: usize = 256;
/// Tags carry decoding times in decoding order. If times go back by more than this, the clock was restarted.
const JITTER_MS: i64 = 1000;
/// The longest duration assumed for the last frame, which FLV does not declare.
const MAX_LAST_FRAME_MS: u64 = 50;
const CONTAINER: Container = Container::Flv;

#[derive(Debug, Default)]
pub(crate) struct Flv {
    tags: MediaTags,
    metadata: ScriptMetadata,
    started: bool,
}

impl Flv {
    fn step_header(&mut self, window: &[u8]) -> WalkStep {
        match u32_be(window, 5) {
            Some(length) => {
                self.started = true;
                WalkStep::Skip(u64::from(length.max(9)).saturating_add(TRAILER))
            }
            None => WalkStep::Need(9),
        }
    }

    fn step_tag(&mut self, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let Some([kind, size @ .., t2, t1, t0, t3]) = array::<8>(window, 0) else {
            return Ok(WalkStep::Need(TAG_HEADER));
        };
        let size = u24_be(&size, 0).unwrap_or(0);
        let wanted = bytes_to_read(kind & 0x1F, size);
        let Some(body) = window.get(TAG_HEADER..TAG_HEADER + wanted) else {
            return Ok(WalkStep::Need(TAG_HEADER + wanted));
        };
        let time = i64::from(i32::from_be_bytes([t3, t2, t1, t0]));
        self.absorb(kind & 0x1F, time, body)?;
        Ok(WalkStep::Skip(wide(TAG_HEADER).saturating_add(u64::from(size)).saturating_add(TRAILER)))
    }

    fn absorb(&mut self, kind: u8, time: i64, body: &[u8]) -> Result<(), FileRefusal> {
        let frame = TimedFrame { at: time, order: time, duration: None };
        match kind {
            tags::AUDIO => self.tags.sound(frame, JITTER_MS, body),
            tags::VIDEO => self.tags.picture(frame, JITTER_MS, body),
            tags::SCRIPT if !self.metadata.is_present => self.metadata = script::read(body),
            tags::SCRIPT => {}
            _ => {
                return Err(FileRefusal::Malformed { container: CONTAINER, what: "a tag has an unknown type" });
            }
        }
        Ok(())
    }

    fn declared(&self) -> Option<u64> {
        nanos_from_seconds(self.metadata.seconds?)
    }

    fn observed(&self) -> Option<ObservedSpan> {
        combined_span(self.tags.timelines(), MAX_LAST_FRAME_MS, ms_to_nanos)
    }

    fn media(&self, length: u64, source: DurationSource) -> Media {
        Media {
            container: CONTAINER,
            duration_ms: millis(length),
            duration_source: source,
            tracks: self.tags.describe(&self.metadata, length),
            metadata_first: self.declared().is_some(),
        }
    }
}

/// Returns how many bytes of a tag are read.
fn bytes_to_read(kind: u8, size: u32) -> usize {
    let most = if kind == tags::SCRIPT { SCRIPT } else { TAG_START };
    usize::try_from(size).unwrap_or(most).min(most)
}

impl Walk for Flv {
    fn step(&mut self, _at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        if !self.started {
            return Ok(self.step_header(window));
        }
        if u8_at(window, 0).is_some() && window.len() < TAG_HEADER {
            return Ok(WalkStep::Need(TAG_HEADER));
        }
        self.step_tag(window)
    }

    fn is_known(&self) -> bool {
        self.declared().is_some() && self.tags.has_picture()
    }

    fn provisional(&self) -> Option<Media> {
        Some(self.media(self.declared()?, DurationSource::Declared))
    }

    fn proven(&self) -> u64 {
        proven(self.tags.timelines(), ms_to_nanos)
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        // The length after the last tag is not needed, and some writers omit it.
        if end.missing > TRAILER || wide(end.tail.len()) > TRAILER {
            return Err(FileRefusal::Truncated { container: CONTAINER, what: "a tag ends beyond the end of the file" });
        }
        self.tags.require_video()?;
        let declared = self.declared().map(DeclaredLength::from_zero);
        let observed = self.observed();
        let (length, source) = final_duration(declared, observed, CONTAINER, DurationSource::Timestamps)?;
        Ok(self.media(length, source))
    }
}

fn ms_to_nanos(ms: u64) -> u64 {
    ms.saturating_mul(NANOS_PER_MILLI)
}
