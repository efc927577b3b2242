//! MPEG transport streams: packets of 188 bytes, or of 192 bytes including a timestamp before each.
//!
//! This module must not depend on how program streams carry packets.

use super::clock::WrappingClock;
use super::pes;
use super::sections::{self, Section, StreamDescription};
use super::stream::{ElementaryStream, SEARCHED_STREAMS};
use crate::bytes::{tail, u8_at, u16_be, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::structures::StructureCount;
use crate::{Codec, Container, FileRefusal, Media, TrackKind};

const SYNC: u8 = 0x47;
const PACKET: usize = 188;
const MAX_PROGRAMS: usize = 16;
const MAX_STREAMS: usize = 64;

/// The layout of the packets, as detected by the sniffer.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PacketLayout {
    pub(crate) length: usize,
    /// Bytes before the sync byte of each packet.
    pub(crate) lead: usize,
    /// Bytes before the first packet.
    pub(crate) junk: usize,
}

#[derive(Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct TransportStream {
    layout: PacketLayout,
    association: Section,
    programs: Vec<(u16, Section)>,
    streams: Vec<ElementaryStream>,
    clock: WrappingClock,
    /// Whether the position of the packets was lost.
    is_lost: bool,
    has_too_many_streams: bool,
    /// Counts the streams in all program tables.
    structures: StructureCount,
}

impl TransportStream {
    pub(crate) fn new(layout: PacketLayout) -> Self {
        Self {
            layout,
            association: Section::default(),
            programs: Vec::new(),
            streams: Vec::new(),
            clock: WrappingClock::default(),
            is_lost: false,
            has_too_many_streams: false,
            structures: StructureCount::default(),
        }
    }

    /// Reads one packet, beginning with its sync byte.
    fn absorb(&mut self, packet: &[u8]) -> Result<(), FileRefusal> {
        let Some(header) = u16_be(packet, 1) else {
            return Ok(());
        };
        let (starts, pid) = (header & 0x4000 != 0, header & 0x1FFF);
        let payload = payload(packet);
        // Players use packets that are marked as damaged.
        if payload.is_empty() {
            return Ok(());
        }
        if pid == 0 {
            self.read_association(starts, payload);
        } else if let Some((_, section)) = self.programs.iter_mut().find(|(own, _)| *own == pid) {
            let whole = section.absorb(starts, payload);
            self.read_program(&whole.unwrap_or_default())?;
        }
        self.read_packets_of(pid, starts, payload);
        Ok(())
    }

    /// Reads a stream. Players find streams that no table lists, so every sequence of packets is one.
    fn read_packets_of(&mut self, pid: u16, starts: bool, payload: &[u8]) {
        let is_known = self.streams.iter().any(|stream| stream.id == pid);
        if !is_known && starts && pes::stream_number(payload).is_some() {
            self.add(ElementaryStream::new(pid, TrackKind::Other, Codec::Unknown));
        }
        if let Some(stream) = self.streams.iter_mut().find(|stream| stream.id == pid) {
            read_stream(stream, &mut self.clock, starts, payload);
        }
    }

    fn add(&mut self, stream: ElementaryStream) {
        if self.streams.len() < MAX_STREAMS {
            let is_searched = self.streams.len() < SEARCHED_STREAMS;
            self.streams.push(if is_searched { stream } else { stream.without_search() });
        } else {
            self.has_too_many_streams = true;
        }
    }

    fn read_association(&mut self, starts: bool, payload: &[u8]) {
        let Some(section) = self.association.absorb(starts, payload) else {
            return;
        };
        for pid in sections::program_tables(&section) {
            let is_known = self.programs.iter().any(|(own, _)| *own == pid);
            if !is_known && self.programs.len() < MAX_PROGRAMS {
                self.programs.push((pid, Section::default()));
            }
        }
    }

    fn read_program(&mut self, section: &[u8]) -> Result<(), FileRefusal> {
        for StreamDescription { pid, kind, codec } in sections::streams(section) {
            self.structures.add()?;
            match self.streams.iter_mut().find(|own| own.id == pid) {
                Some(known) => known.describe_as(kind, codec),
                None => self.add(ElementaryStream::new(pid, kind, codec)),
            }
        }
        Ok(())
    }

    /// Searches after damaged bytes for two sync bytes that are one packet apart.
    fn resynchronise(&mut self, window: &[u8]) -> WalkStep {
        let PacketLayout { length, lead, .. } = self.layout;
        for offset in memchr::memchr_iter(SYNC, tail(window, lead)) {
            match u8_at(window, lead + offset + length) {
                Some(SYNC) => {
                    self.is_lost = false;
                    return WalkStep::Skip(wide(offset));
                }
                Some(_) => {}
                None if offset > 0 => return WalkStep::Skip(wide(offset)),
                None => return WalkStep::Need(lead + length + 1),
            }
        }
        match window.len().saturating_sub(lead) {
            0 => WalkStep::Need(lead + 1),
            searched => WalkStep::Skip(wide(searched)),
        }
    }
}

fn read_stream(stream: &mut ElementaryStream, clock: &mut WrappingClock, starts: bool, payload: &[u8]) {
    if !starts && stream.header.is_empty() {
        stream.absorb(payload);
        stream.count_pictures(payload);
        return;
    }
    if starts {
        stream.header.clear();
    }
    // A header may span packets.
    let room = pes::LONGEST.saturating_sub(stream.header.len());
    let (taken, rest) = payload.split_at(room.min(payload.len()));
    stream.header.extend_from_slice(taken);
    if !pes::is_complete(&stream.header) && stream.header.len() < pes::LONGEST {
        return;
    }
    let packet = std::mem::take(&mut stream.header);
    let Some(header) = pes::read(&packet) else {
        return;
    };
    let start = tail(&packet, header.length);
    stream.recognise(pes::stream_number(&packet).unwrap_or(0), start);
    stream.begin(header.timestamps, clock);
    for part in [start, rest] {
        stream.absorb(part);
        stream.count_pictures(part);
    }
}

/// Returns the payload after the packet's header and adaptation field.
fn payload(packet: &[u8]) -> &[u8] {
    match u8_at(packet, 3).map_or(0, |flags| flags >> 4 & 3) {
        1 => tail(packet, 4),
        3 => tail(packet, 5 + usize::from(u8_at(packet, 4).unwrap_or(0))),
        _ => &[],
    }
}

impl Walk for TransportStream {
    fn step(&mut self, _at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let PacketLayout { length, lead, junk } = self.layout;
        if junk > 0 {
            self.layout.junk = 0;
            return Ok(WalkStep::Skip(wide(junk)));
        }
        if self.is_lost {
            return Ok(self.resynchronise(window));
        }
        if window.len() < length {
            return Ok(WalkStep::Need(length));
        }
        let mut passed = 0;
        for packet in window.chunks_exact(length) {
            let packet = tail(packet, lead);
            if u8_at(packet, 0) != Some(SYNC) {
                break;
            }
            self.absorb(packet.get(..PACKET).unwrap_or(packet))?;
            passed += length;
        }
        self.is_lost = passed == 0;
        Ok(WalkStep::Skip(wide(passed)))
    }

    fn proven(&self) -> u64 {
        super::proven(&self.streams)
    }

    /// A transport stream declares no end, so a truncated one is valid up to its last packet.
    fn finish(&mut self, _end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        if self.has_too_many_streams {
            return Err(FileRefusal::MetadataTooLarge { what: "more than 64 streams" });
        }
        super::final_media(Container::MpegTs, &mut self.streams)
    }
}

#[cfg(test)]
mod tests;
