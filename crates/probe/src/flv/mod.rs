//! FLV: a list of tags, each with its own timestamp.
//!
//! `onMetaData` gives a provisional verdict. The timestamps of all tags decide. This module must not depend on other
//! containers.

mod script;
mod tags;

use crate::bytes::{array, u8_at, u24_be, u32_be, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::reconcile::{DeclaredLength, ObservedSpan, final_duration, least_within};
use crate::structures::StructureCount;
use crate::time::{NANOS_PER_MILLI, millis, nanos_from_seconds};
use crate::timeline::{TimedFrame, combined_span, proven};
use crate::{Container, DurationSource, FileRefusal, Media};
use script::ScriptMetadata;
use tags::MediaTags;

const FILE_HEADER: usize = 9;
const TAG_HEADER: usize = 11;
/// Each tag is followed by its length.
const TRAILER: u64 = 4;
/// The values needed are in the first bytes of the script tag. Key-frame lists that follow them are not needed.
const SCRIPT: usize = 4096;
/// Enough of a tag for the codec, packet type and picture size.
const TAG_START: usize = 256;
/// The longest duration assumed for the last frame, which FLV does not declare.
const MAX_LAST_FRAME_MS: u64 = 50;
/// Frames without a picture may last for this long.
const LONGEST_EMPTY_MS: u64 = 1000;
/// Some programs append text or their own tag, such as ID3.
const LONGEST_TAIL: usize = 1024;
const CONTAINER: Container = Container::Flv;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Flv {
    tags: MediaTags,
    metadata: ScriptMetadata,
    started: bool,
    structures: StructureCount,
    /// The length of the last tag, and the total length of all tags. One of them must follow the tag.
    trailer_of: Option<u32>,
    tags_length: u64,
    /// Whether a length of zero follows the last tag. Then no other tag may come after it.
    has_zero: bool,
    /// Whether bytes that are no tag were found. Only a short piece of them may end the file.
    in_tail: bool,
}

impl Flv {
    fn step_header(&mut self, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        match u32_be(window, 5) {
            Some(9) => {
                self.started = true;
                Ok(WalkStep::Skip(wide(FILE_HEADER).saturating_add(TRAILER)))
            }
            Some(_) => Err(ambiguous("its first tag is not behind its header")),
            None => Ok(WalkStep::Need(FILE_HEADER)),
        }
    }

    fn step_tag(&mut self, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let Some([kind, s2, s1, s0, t2, t1, t0, t3, ..]) = array::<TAG_HEADER>(window, 0) else {
            return Ok(WalkStep::Need(TAG_HEADER));
        };
        let size = u32::from_be_bytes([0, s2, s1, s0]);
        if !matches!(kind, tags::AUDIO | tags::VIDEO | tags::SCRIPT) {
            self.in_tail = true;
            return Self::step_tail(window);
        }
        let wanted = bytes_to_read(kind, size);
        let Some(body) = window.get(TAG_HEADER..TAG_HEADER + wanted) else {
            return Ok(WalkStep::Need(TAG_HEADER + wanted));
        };
        self.structures.add()?;
        if self.has_zero {
            return Err(ambiguous("the length after a tag is zero"));
        }
        let time = i64::from(i32::from_be_bytes([t3, t2, t1, t0]));
        self.absorb(kind, time, size, body);
        if self.tags.go_back_before_beginning() {
            return Err(ambiguous("its times go back before its beginning"));
        }
        if let Some(refusal) = self.tags.refusal() {
            return Err(refusal);
        }
        if self.tags.go_back() {
            return Err(ambiguous("its times go back"));
        }
        let length = wide(TAG_HEADER).saturating_add(u64::from(size));
        self.trailer_of = Some(size);
        self.tags_length = self.tags_length.saturating_add(length);
        Ok(WalkStep::Skip(length))
    }

    /// Reads the length after a tag. If it is wrong, some players search for tags everywhere.
    fn step_trailer(&mut self, size: u32, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let Some(length) = u32_be(window, 0) else {
            return Ok(WalkStep::Need(4));
        };
        self.trailer_of = None;
        let header = u32::try_from(TAG_HEADER).unwrap_or(0);
        let accepted = [size.saturating_add(header), size.saturating_add(header - 1), size];
        self.has_zero = length == 0;
        let is_sum = u64::from(length) == self.tags_length;
        if !self.has_zero && !is_sum && !accepted.contains(&length) {
            return Err(ambiguous("the length after a tag is not that of the tag"));
        }
        Ok(WalkStep::Skip(TRAILER))
    }

    /// Passes over bytes after the last tag if they are few, or zeros.
    fn step_tail(window: &[u8]) -> Result<WalkStep, FileRefusal> {
        if window.len() < LONGEST_TAIL {
            return Ok(WalkStep::Need(LONGEST_TAIL));
        }
        match window.iter().position(|byte| *byte != 0).unwrap_or(window.len()) {
            0 => Err(FileRefusal::Malformed { container: CONTAINER, what: "a tag has an unknown type" }),
            zeros => Ok(WalkStep::Skip(wide(zeros))),
        }
    }

    fn absorb(&mut self, kind: u8, time: i64, size: u32, body: &[u8]) {
        let frame = TimedFrame { at: time, order: time, duration: None };
        match kind {
            tags::AUDIO => self.tags.sound(frame, size, body),
            tags::VIDEO => self.tags.picture(frame, size, body),
            tags::SCRIPT if !self.metadata.is_present => self.metadata = script::read(body),
            _ => {}
        }
    }

    /// Whether players take these bytes for the beginning of a tag that is much later than the others, and whose bytes
    /// end with the file.
    fn begins_later_tag(&self, bytes: &[u8]) -> bool {
        let Some([kind, _, _, _, t2, t1, t0, t3, _, _, _, flags]) = array::<12>(bytes, 0) else { return false };
        let time = i64::from(i32::from_be_bytes([t3, t2, t1, t0]));
        matches!(kind & 0x1F, tags::AUDIO | tags::VIDEO) && self.tags.would_go_on(kind & 0x1F, flags, time)
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
            least_ms: millis(length),
            longest_track: None,
            shortest_video_ms: None,
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
            return self.step_header(window);
        }
        if self.in_tail {
            return Self::step_tail(window);
        }
        if let Some(size) = self.trailer_of {
            return self.step_trailer(size, window);
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
        let is_trailer = self.trailer_of.is_some() && wide(end.tail.len()) <= TRAILER;
        let is_tail = !end.tail.is_empty() && !is_trailer;
        if is_tail && (may_hold_tags(end.tail) || self.begins_later_tag(end.tail)) {
            return Err(ambiguous("bytes behind its last tag look like a tag"));
        }
        if end.missing > 0 || is_tail && !self.in_tail && !ends_like_a_tail(end.tail) {
            return Err(FileRefusal::Truncated { container: CONTAINER, what: "a tag ends beyond the end of the file" });
        }
        self.tags.require_video()?;
        if self.tags.have_hidden_sound(MAX_LAST_FRAME_MS, ms_to_nanos) {
            return Err(ambiguous("its sound plays for longer than its times say"));
        }
        if self.tags.empty_span() > LONGEST_EMPTY_MS {
            return Err(ambiguous("some of its frames hold no picture"));
        }
        let declared = self.declared().map(DeclaredLength::from_zero);
        let observed = self.observed();
        let (length, source) = final_duration(declared, observed, CONTAINER, DurationSource::Timestamps)?;
        let least = self.tags.least(MAX_LAST_FRAME_MS, ms_to_nanos);
        Ok(self.media(length, source).with_least(least_within(least, length, observed)))
    }
}

fn ambiguous(what: &'static str) -> FileRefusal {
    FileRefusal::Ambiguous { container: CONTAINER, what }
}

/// Whether a few bytes at the end of the file cannot be the beginning of a tag.
fn ends_like_a_tail(tail: &[u8]) -> bool {
    !matches!(u8_at(tail, 0), Some(tags::AUDIO | tags::VIDEO | tags::SCRIPT))
}

/// Whether a player that searches these bytes finds a tag of sound or picture that fits into them.
fn may_hold_tags(bytes: &[u8]) -> bool {
    bytes.windows(TAG_HEADER).enumerate().any(|(at, header)| {
        let is_media = matches!(u8_at(header, 0).map(|kind| kind & 0x1F), Some(tags::AUDIO | tags::VIDEO));
        let size = u24_be(header, 1).and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX);
        is_media && size > 0 && size <= bytes.len().saturating_sub(at + TAG_HEADER)
    })
}

fn ms_to_nanos(ms: u64) -> u64 {
    ms.saturating_mul(NANOS_PER_MILLI)
}

#[cfg(test)]
mod tests;
