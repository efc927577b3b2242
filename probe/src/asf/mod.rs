//! ASF, the container of WMV.
//!
//! Header objects are walked as a flat list, and only the first bytes of each are read. The data object holds packets
//! of one fixed size; the presentation time of every payload is read. The play time in the header gives a provisional
//! verdict. This module must not depend on other containers.

mod header;
mod packet;

use crate::bytes::{array, u64_le, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::reconcile::{DeclaredLength, ObservedSpan, final_duration};
use crate::structures::StructureCount;
use crate::time::{NANOS_PER_MILLI, millis};
use crate::timeline::{TimedFrame, combined_span, proven};
use crate::{Container, DurationSource, FileRefusal, Media};
use header::{AsfHeader, ObjectKind};

/// The length of an object's identifier and size.
const OBJECT: usize = 24;
const DATA_HEADER: u64 = 50;
/// All properties that are read lie in the first bytes of their object.
const LEAF: u64 = 256;
/// Frames are stored in decoding order. If times go back by more than this, the clock was restarted.
const REORDERING_MS: i64 = 10_000;
/// The longest duration assumed for the last frame.
const MAX_LAST_FRAME_MS: u64 = 50;
/// Players assume that the clock has wrapped around if a time is more than a minute before the first one.
const BEFORE_BEGINNING_MS: i64 = 60_000;
const CONTAINER: Container = Container::Asf;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Asf {
    header: AsfHeader,
    /// The end of the data object, while its packets are being read.
    packets_until: Option<u64>,
    data_seen: bool,
    declared_end: u64,
    structures: StructureCount,
    /// The time of the first frame.
    first: Option<i64>,
}

impl Asf {
    fn step_object(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let (Some(id), Some(size)) = (array(window, 0), u64_le(window, 16)) else {
            return Ok(WalkStep::Need(OBJECT));
        };
        match header::object_kind(id) {
            ObjectKind::Header => Ok(WalkStep::Skip(30)),
            ObjectKind::Extension => Ok(WalkStep::Skip(46)),
            ObjectKind::Data => self.enter_data(at, size),
            // Only indexes follow the data object, so an unreadable object there does not matter.
            _ if size < wide(OBJECT) && self.data_seen => Ok(WalkStep::Done),
            _ if size < wide(OBJECT) => Err(malformed("an object is smaller than its own header")),
            ObjectKind::Ignored => Ok(WalkStep::Skip(size)),
            object => Ok(self.read_leaf(object, size, window)),
        }
    }

    fn read_leaf(&mut self, object: ObjectKind, size: u64, window: &[u8]) -> WalkStep {
        let wanted = usize::try_from(size.min(LEAF)).unwrap_or(OBJECT);
        let Some(body) = window.get(..wanted) else {
            return WalkStep::Need(wanted);
        };
        self.header.absorb(object, body);
        WalkStep::Skip(size)
    }

    fn enter_data(&mut self, at: u64, size: u64) -> Result<WalkStep, FileRefusal> {
        self.header.require_video()?;
        if self.data_seen {
            let what = "it has several data objects, of which some players play only the first";
            return Err(FileRefusal::Ambiguous { container: CONTAINER, what });
        }
        self.data_seen = true;
        let is_open = self.header.is_broadcast() || size < DATA_HEADER;
        let end = if is_open { u64::MAX } else { at.saturating_add(size) };
        if !is_open {
            self.declared_end = end;
        }
        self.packets_until = (self.header.packet_size() > 0).then_some(end);
        Ok(match (self.packets_until, is_open) {
            (Some(_), _) => WalkStep::Skip(DATA_HEADER),
            (None, true) => WalkStep::Done,
            (None, false) => WalkStep::Skip(size),
        })
    }

    fn step_packet(&mut self, end: u64, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let length = self.header.packet_size();
        let size = usize::try_from(length).unwrap_or(usize::MAX);
        if end.saturating_sub(at) < length {
            self.packets_until = None;
            return Ok(WalkStep::Skip(end.saturating_sub(at)));
        }
        let Some(bytes) = window.get(..size) else {
            return Ok(WalkStep::Need(size));
        };
        let preroll = self.header.preroll_ms();
        let mut counted = Ok(());
        packet::read(bytes, |stream, time| {
            let at = i64::from(time).saturating_sub_unsigned(preroll);
            let goes_back = at.saturating_add(BEFORE_BEGINNING_MS) < *self.first.get_or_insert(at);
            let counting = self.structures.add();
            if counted.is_ok() {
                counted = if goes_back { Err(before_beginning()) } else { counting };
            }
            self.header.observe(stream, TimedFrame { at, order: at, duration: None }, REORDERING_MS);
        });
        counted.map(|()| WalkStep::Skip(length))
    }

    fn declared(&self) -> Option<u64> {
        self.header.declared()
    }

    fn observed(&self) -> Option<ObservedSpan> {
        combined_span(self.header.timelines(), MAX_LAST_FRAME_MS, ms_to_nanos)
    }

    fn media(&self, length: u64, source: DurationSource) -> Media {
        Media {
            container: CONTAINER,
            duration_ms: millis(length),
            duration_source: source,
            tracks: self.header.describe(length),
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
        proven(self.header.timelines(), ms_to_nanos)
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        let is_mid_object = !end.tail.is_empty() && !self.data_seen;
        if end.missing > 0 || is_mid_object || self.declared_end > end.length {
            return Err(FileRefusal::Truncated {
                container: CONTAINER,
                what: "an object ends beyond the end of the file",
            });
        }
        self.header.require_video()?;
        let declared = self.declared().map(DeclaredLength::from_zero);
        let observed = self.observed();
        let (length, source) = final_duration(declared, observed, CONTAINER, DurationSource::Timestamps)?;
        Ok(self.media(length, source))
    }
}

fn before_beginning() -> FileRefusal {
    FileRefusal::Ambiguous { container: CONTAINER, what: "its times go back before its beginning" }
}

fn malformed(what: &'static str) -> FileRefusal {
    FileRefusal::Malformed { container: CONTAINER, what }
}

fn ms_to_nanos(ms: u64) -> u64 {
    ms.saturating_mul(NANOS_PER_MILLI)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enters a data object of 1,000 bytes at position 100. Returns how many bytes are skipped, and where its packets
    /// end.
    fn data(flags: u8, packet_size: u8) -> (u64, Option<u64>) {
        let mut asf = Asf::default();
        let mut file = vec![0; 104];
        (file[88], file[96]) = (flags, packet_size);
        asf.header.absorb(ObjectKind::File, &file);
        let mut stream = vec![0; 128];
        stream[24..40].copy_from_slice(b"\xC0\xEF\x19\xBC\x4D\x5B\xCF\x11\xA8\xFD\x00\x80\x5F\x5C\x44\x2B");
        asf.header.absorb(ObjectKind::Stream, &stream);
        let step = asf.enter_data(100, 1_000).expect("a video");
        let skipped = if let WalkStep::Skip(count) = step { count } else { u64::MAX };
        (skipped, asf.packets_until)
    }

    #[test]
    fn the_packets_of_the_data_object_are_read_if_their_size_is_known() {
        assert_eq!(data(2, 200), (DATA_HEADER, Some(1_100)));
        assert_eq!(data(3, 200), (DATA_HEADER, Some(u64::MAX)), "a broadcast has no end");
    }

    #[test]
    fn a_data_object_without_a_packet_size_is_skipped() {
        assert_eq!(data(2, 0), (1_000, None));
        assert_eq!(data(3, 0), (u64::MAX, None), "nothing can follow a broadcast");
    }
}
