//! ASF, the container of WMV.
//!
//! The header's objects are walked flat and read by prefix; then come packets of one fixed size, of which every
//! payload's presentation time is read. The header's play time makes a provisional verdict.

mod header;
mod packet;

use crate::bytes::{array, u64_le, wide};
use crate::driver::{End, Step, Walk};
use crate::reconcile::{Declared, Observed, reconcile};
use crate::time::{NANOS_PER_MILLI, millis};
use crate::timeline::{Frame, proven, together};
use crate::{Container, DurationSource, Media, Refusal};
use header::{Header, Object};

/// Identifier and size of an object.
const OBJECT: usize = 24;
const DATA_HEADER: u64 = 50;
/// The properties that are read stand in an object's first bytes.
const LEAF: u64 = 256;
/// Frames come in decoding order; going back by more than this is a clock that started anew.
const REORDERING_MS: i64 = 10_000;
/// How long the last frame is taken to stay at most.
const GUESS_MS: u64 = 50;
const CONTAINER: Container = Container::Asf;

#[derive(Debug, Default)]
pub(crate) struct Asf {
    header: Header,
    /// Where the packets end, while they are being read.
    packets_until: Option<u64>,
    data_seen: bool,
    declared_end: u64,
}

impl Asf {
    fn step_object(&mut self, at: u64, window: &[u8]) -> Result<Step, Refusal> {
        let (Some(id), Some(size)) = (array(window, 0), u64_le(window, 16)) else {
            return Ok(Step::Need(OBJECT));
        };
        match header::object(id) {
            Object::Header => Ok(Step::Skip(30)),
            Object::Extension => Ok(Step::Skip(46)),
            Object::Data => self.enter_data(at, size),
            // Nothing but indexes follows the data; unreadable ones change nothing.
            _ if size < wide(OBJECT) && self.data_seen => Ok(Step::Done),
            _ if size < wide(OBJECT) => Err(malformed("an object of impossible size")),
            Object::Ignored => Ok(Step::Skip(size)),
            object => Ok(self.read_leaf(object, size, window)),
        }
    }

    fn read_leaf(&mut self, object: Object, size: u64, window: &[u8]) -> Step {
        let wanted = usize::try_from(size.min(LEAF)).unwrap_or(OBJECT);
        let Some(body) = window.get(..wanted) else {
            return Step::Need(wanted);
        };
        self.header.absorb(object, body);
        Step::Skip(size)
    }

    fn enter_data(&mut self, at: u64, size: u64) -> Result<Step, Refusal> {
        self.header.judge()?;
        self.data_seen = true;
        let is_open = self.header.is_broadcast() || size < DATA_HEADER;
        let end = if is_open {
            u64::MAX
        } else {
            at.saturating_add(size)
        };
        if !is_open {
            self.declared_end = end;
        }
        self.packets_until = (self.header.packet_size() > 0).then_some(end);
        Ok(match (self.packets_until, is_open) {
            (Some(_), _) => Step::Skip(DATA_HEADER),
            (None, true) => Step::Done,
            (None, false) => Step::Skip(size),
        })
    }

    fn step_packet(&mut self, end: u64, at: u64, window: &[u8]) -> Step {
        let length = self.header.packet_size();
        let size = usize::try_from(length).unwrap_or(usize::MAX);
        if end.saturating_sub(at) < length {
            self.packets_until = None;
            return Step::Skip(end.saturating_sub(at));
        }
        let Some(bytes) = window.get(..size) else {
            return Step::Need(size);
        };
        let preroll = self.header.preroll_ms();
        packet::read(bytes, |stream, time| {
            let at = i64::from(time).saturating_sub_unsigned(preroll);
            self.header.observe(
                stream,
                Frame {
                    at,
                    order: at,
                    stays: None,
                },
                REORDERING_MS,
            );
        });
        Step::Skip(length)
    }

    fn declared(&self) -> Option<u64> {
        self.header.declared()
    }

    fn observed(&self) -> Option<Observed> {
        together(self.header.timelines(), GUESS_MS, ms_to_nanos)
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
    fn step(&mut self, at: u64, window: &[u8]) -> Result<Step, Refusal> {
        match self.packets_until {
            Some(end) => Ok(self.step_packet(end, at, window)),
            None => self.step_object(at, window),
        }
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

    fn finish(&mut self, end: End<'_>) -> Result<Media, Refusal> {
        let within = !end.tail.is_empty() && !self.data_seen;
        if end.missing > 0 || within || self.declared_end > end.length {
            return Err(Refusal::Truncated {
                container: CONTAINER,
                what: "an object ends beyond the end of the file",
            });
        }
        self.header.judge()?;
        let declared = self.declared().map(Declared::from_zero);
        let seen = self.observed();
        let (length, source) = reconcile(declared, seen, CONTAINER, DurationSource::Timestamps)?;
        Ok(self.media(length, source))
    }
}

fn malformed(what: &'static str) -> Refusal {
    Refusal::Malformed {
        container: CONTAINER,
        what,
    }
}

fn ms_to_nanos(ms: u64) -> u64 {
    ms.saturating_mul(NANOS_PER_MILLI)
}
