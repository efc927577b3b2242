//! ASF, the container of WMV.
//!
//! Header objects are walked as a flat list, and only the first bytes of each are read. The data object holds packets
//! of one fixed size; the presentation time of every frame is read. The play time in the header gives a provisional
//! verdict. This module must not depend on other containers.

mod frames;
mod header;
mod packet;
mod streams;

use crate::bytes::{array, narrow, u64_le, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::reconcile::{DeclaredLength, ObservedSpan, final_duration, least_within};
use crate::structures::StructureCount;
use crate::time::{NANOS_PER_MILLI, millis};
use crate::timeline::{combined_span, proven};
use crate::{Container, DurationSource, FileRefusal, Media};
use header::{ExtendedStream, FileProperties, ObjectKind};
use streams::AsfStreams;

/// The length of an object's identifier and size.
const OBJECT: usize = 24;
const DATA_HEADER: u64 = 50;
/// Players read a smaller data object to the end of the file.
const SMALLEST_DATA: u64 = 100;
/// All properties that are read lie in the first bytes of their object.
const LEAF: u64 = 256;
/// The longest extended stream properties, which contain names.
const EXTENDED_STREAM: u64 = 16 * 1024;
/// The longest duration assumed for the last frame.
const MAX_LAST_FRAME_MS: u64 = 50;
const CONTAINER: Container = Container::Asf;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Asf {
    file: FileProperties,
    streams: AsfStreams,
    /// The end of the data object, while its packets are being read.
    packets_until: Option<u64>,
    data_seen: bool,
    declared_end: u64,
    structures: StructureCount,
    /// Whether the first packet has error correction data.
    is_corrected: Option<bool>,
}

impl Asf {
    fn step_object(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let (Some(id), Some(size)) = (array(window, 0), u64_le(window, 16)) else {
            return Ok(WalkStep::Need(OBJECT));
        };
        match header::object_kind(id) {
            ObjectKind::Header if at > 0 => Err(ambiguous("it has a second header")),
            ObjectKind::Header => Ok(WalkStep::Skip(30)),
            ObjectKind::Extension => Ok(WalkStep::Skip(46)),
            ObjectKind::Data => self.enter_data(at, size),
            // Only indexes follow the data object, so an unreadable object there does not matter.
            _ if size < wide(OBJECT) && self.data_seen => Ok(WalkStep::Done),
            _ if size < wide(OBJECT) => Err(malformed("an object is smaller than its own header")),
            ObjectKind::Ignored => Ok(WalkStep::Skip(size)),
            object => self.read_leaf(object, size, window),
        }
    }

    fn read_leaf(&mut self, object: ObjectKind, size: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let longest = if matches!(object, ObjectKind::ExtendedStream) { EXTENDED_STREAM } else { LEAF };
        let wanted = narrow(size.min(longest));
        let Some(body) = window.get(..wanted) else {
            return Ok(WalkStep::Need(wanted));
        };
        match object {
            ObjectKind::File => self.file.read(body)?,
            ObjectKind::Stream => self.streams.add(body)?,
            ObjectKind::ExtendedStream => return step_into(body),
            _ => self.streams.set_encrypted(),
        }
        Ok(WalkStep::Skip(size))
    }

    fn enter_data(&mut self, at: u64, size: u64) -> Result<WalkStep, FileRefusal> {
        self.streams.require_video()?;
        if self.data_seen {
            return Err(ambiguous("it has several data objects, of which some players play only the first"));
        }
        self.data_seen = true;
        let is_open = self.file.is_broadcast() || size < SMALLEST_DATA;
        let end = if is_open { u64::MAX } else { at.saturating_add(size) };
        if !is_open {
            self.declared_end = end;
        }
        self.packets_until = (self.file.packet_size() > 0).then_some(end);
        Ok(match (self.packets_until, is_open) {
            (Some(_), _) => WalkStep::Skip(DATA_HEADER),
            (None, true) => WalkStep::Done,
            (None, false) => WalkStep::Skip(size),
        })
    }

    fn step_packet(&mut self, end: u64, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let length = self.file.packet_size();
        match end.saturating_sub(at) {
            0 => {
                self.packets_until = None;
                return Ok(WalkStep::Skip(0));
            }
            left if left < length => return Err(ambiguous("its last packet has no end")),
            _ => {}
        }
        let Some(bytes) = window.get(..narrow(length)) else {
            return Ok(WalkStep::Need(narrow(length)));
        };
        if !self.read_packet(bytes)? {
            return Err(malformed("the lengths in a packet contradict each other"));
        }
        Ok(WalkStep::Skip(length))
    }

    /// Reads a packet, or the beginning of one. Returns whether it is whole.
    fn read_packet(&mut self, bytes: &[u8]) -> Result<bool, FileRefusal> {
        let Self { streams, structures, file, is_corrected, .. } = self;
        let begins_like = packet::is_corrected(bytes);
        if begins_like != Some(*is_corrected.get_or_insert(begins_like == Some(true))) {
            return Err(ambiguous("a packet begins where players do not look for it"));
        }
        packet::read(bytes, narrow(file.packet_size()), |number, payload| {
            structures.add()?;
            streams.absorb(number, &payload, file.preroll_ms(), structures)
        })
    }

    fn declared(&self) -> Option<u64> {
        self.file.declared()
    }

    fn observed(&self) -> Option<ObservedSpan> {
        combined_span(self.streams.timelines(), MAX_LAST_FRAME_MS, ms_to_nanos)
    }

    fn media(&self, length: u64, source: DurationSource) -> Media {
        Media {
            container: CONTAINER,
            duration_ms: millis(length),
            duration_source: source,
            least_ms: millis(length),
            longest_track: None,
            shortest_video_ms: None,
            tracks: self.streams.describe(length),
            metadata_first: self.declared().is_some(),
        }
    }
}

impl Walk for Asf {
    fn step(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let step = match self.packets_until {
            Some(end) => self.step_packet(end, at, window)?,
            None => self.step_object(at, window)?,
        };
        if !matches!(step, WalkStep::Need(_)) {
            self.structures.add()?;
        }
        Ok(step)
    }

    fn is_known(&self) -> bool {
        self.data_seen && self.declared().is_some()
    }

    fn provisional(&self) -> Option<Media> {
        Some(self.media(self.declared()?, DurationSource::Declared))
    }

    fn proven(&self) -> u64 {
        proven(self.streams.timelines(), ms_to_nanos)
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        let is_mid_object = !end.tail.is_empty() && !self.data_seen;
        if end.missing > 0 || is_mid_object || self.declared_end > end.length {
            return Err(FileRefusal::Truncated {
                container: CONTAINER,
                what: "an object ends beyond the end of the file",
            });
        }
        self.streams.require_video()?;
        let is_open = self.packets_until == Some(u64::MAX);
        if is_open && end.tail.len() >= packet::SHORTEST {
            self.read_packet(end.tail)?;
        }
        self.streams.require_whole_frames(is_open, self.file.preroll_ms())?;
        if self.streams.have_hidden_sound(MAX_LAST_FRAME_MS, ms_to_nanos) {
            return Err(ambiguous("its sound plays for longer than its times say"));
        }
        let declared = self.declared().map(DeclaredLength::from_zero);
        let observed = self.observed();
        let (length, source) = final_duration(declared, observed, CONTAINER, DurationSource::Timestamps)?;
        let least = self.streams.least(MAX_LAST_FRAME_MS, ms_to_nanos);
        Ok(self.media(length, source).with_least(least_within(least, length, observed)))
    }
}

/// Continues after extended stream properties, where the properties of the stream may follow.
fn step_into(body: &[u8]) -> Result<WalkStep, FileRefusal> {
    match ExtendedStream::read(body) {
        None => Err(malformed("extended stream properties are longer than their object")),
        Some(ExtendedStream { has_presentation_times: true, .. }) => Err(ambiguous("its frames have several times")),
        Some(ExtendedStream { length, .. }) => Ok(WalkStep::Skip(wide(length))),
    }
}

fn ambiguous(what: &'static str) -> FileRefusal {
    FileRefusal::Ambiguous { container: CONTAINER, what }
}

fn malformed(what: &'static str) -> FileRefusal {
    FileRefusal::Malformed { container: CONTAINER, what }
}

fn ms_to_nanos(ms: u64) -> u64 {
    ms.saturating_mul(NANOS_PER_MILLI)
}

#[cfg(test)]
mod tests;
