//! MPEG transport streams: packets of 188 bytes, of 192 with a timestamp before each, or of 204 with checksums after
//! each.
//!
//! This module must not depend on how program streams carry packets.

use super::clock::WrappingClock;
use super::pes;
use super::sections::{self, Sections, StreamDescription};
use super::stream::{ElementaryStream, SEARCHED_STREAMS};
use crate::bytes::{head, tail, u8_at, u16_be, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::structures::StructureCount;
use crate::{Codec, Container, FileRefusal, Media, TrackKind};

const SYNC: u8 = 0x47;
const PACKET: usize = 188;
/// The distances between packets that players know.
const LENGTHS: [usize; 3] = [188, 192, 204];
/// Two of the longest packets and a sync byte.
const RESYNC: usize = 2 * 204 + 1;
/// The packets of the tables that name programs and events. Players look for nothing else there, unless a program table
/// describes a stream.
const OTHER_TABLES: [u16; 2] = [0x11, 0x12];
const MAX_PROGRAMS: usize = 65;
const MAX_STREAMS: usize = 64;
/// The tables of a broadcast with many programs describe more streams than a recording of one program holds.
const MAX_DESCRIPTIONS: usize = 1024;

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
    association: Sections,
    programs: Vec<(u16, Sections)>,
    /// The descriptions of streams in the tables, also of those without packets.
    described: Vec<StreamDescription>,
    streams: Vec<ElementaryStream>,
    clock: WrappingClock,
    /// Whether the position of the packets was lost.
    is_lost: bool,
    has_too_many: bool,
    /// Counts the streams in all program tables.
    structures: StructureCount,
}

impl TransportStream {
    /// Bytes before the first packet are searched like damaged bytes.
    pub(crate) fn new(layout: PacketLayout) -> Self {
        Self {
            layout,
            association: Sections::default(),
            programs: Vec::new(),
            described: Vec::new(),
            streams: Vec::new(),
            clock: WrappingClock::default(),
            is_lost: layout.junk > 0,
            has_too_many: false,
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
        } else if let Some((_, sections)) = self.programs.iter_mut().find(|(own, _)| *own == pid) {
            for section in sections.absorb(starts, payload) {
                self.read_program(&section)?;
            }
        }
        if !OTHER_TABLES.contains(&pid) || self.is_described(pid) {
            self.read_packets_of(pid, starts, payload);
        }
        Ok(())
    }

    /// Reads a stream. Players find streams that no table lists, so every sequence of packets is one.
    fn read_packets_of(&mut self, pid: u16, starts: bool, payload: &[u8]) {
        let is_known = self.streams.iter().any(|stream| stream.id == pid);
        if !is_known && starts && (pes::may_begin(payload) || self.is_described(pid)) {
            self.add(pid);
        }
        if let Some(stream) = self.streams.iter_mut().find(|stream| stream.id == pid) {
            read_stream(stream, &mut self.clock, starts, payload);
        }
    }

    fn is_described(&self, pid: u16) -> bool {
        self.described.iter().any(|described| described.pid == pid)
    }

    fn add(&mut self, pid: u16) {
        if self.streams.len() >= MAX_STREAMS {
            self.has_too_many = true;
            return;
        }
        let stream = ElementaryStream::new(pid, TrackKind::Other, Codec::Unknown);
        let is_searched = self.streams.len() < SEARCHED_STREAMS;
        let mut stream = if is_searched { stream } else { stream.without_search() };
        if let Some(described) = self.described.iter().find(|described| described.pid == pid) {
            stream.describe_as(described.kind, described.codec);
            stream.describe_as_data(described.is_data);
        }
        self.streams.push(stream);
    }

    fn read_association(&mut self, starts: bool, payload: &[u8]) {
        let tables = self.association.absorb(starts, payload);
        for pid in tables.iter().flat_map(|section| sections::program_tables(section)) {
            let is_known = self.programs.iter().any(|(own, _)| *own == pid);
            if !is_known && self.programs.len() < MAX_PROGRAMS {
                self.programs.push((pid, Sections::default()));
            }
            self.has_too_many |= self.programs.len() >= MAX_PROGRAMS;
        }
    }

    /// Reads a program table. Of several descriptions of a stream, the first one with picture or sound counts.
    fn read_program(&mut self, section: &[u8]) -> Result<(), FileRefusal> {
        for description in sections::streams(section) {
            self.structures.add()?;
            let StreamDescription { pid, kind, codec, is_data } = description;
            if let Some(stream) = self.streams.iter_mut().find(|stream| stream.id == pid) {
                stream.describe_as(kind, codec);
                stream.describe_as_data(is_data);
            }
            if let Some(known) = self.described.iter_mut().find(|known| known.pid == pid) {
                known.add(&description);
            } else if self.described.len() < MAX_DESCRIPTIONS {
                self.described.push(description);
            } else {
                self.has_too_many = true;
            }
        }
        Ok(())
    }

    /// Searches damaged bytes for a sync byte with another one packet later, or with two more at another known packet
    /// length. Some players begin a packet at every sync byte, so a frame after any of them counts too.
    fn resynchronise(&mut self, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        for offset in memchr::memchr_iter(SYNC, window) {
            let packet = tail(window, offset);
            let is_sync = |at: usize| u8_at(packet, at) == Some(SYNC);
            let is_other = |length: &usize| packet.len() >= RESYNC && is_sync(*length) && is_sync(2 * length);
            let known = Some(self.layout.length).filter(|length| is_sync(*length));
            let length = known.or_else(|| LENGTHS.into_iter().find(is_other));
            if packet.len() >= RESYNC && length.is_none() && !begins_frame(packet) {
                continue;
            }
            if offset > 0 {
                return Ok(WalkStep::Skip(wide(offset)));
            }
            if let Some(length) = length {
                self.layout = PacketLayout { length, lead: 0, junk: 0 };
                self.is_lost = false;
                return Ok(WalkStep::Skip(0));
            }
            if packet.len() < RESYNC {
                let next = self.layout.length + 1;
                return Ok(WalkStep::Need(if packet.len() < next { next } else { RESYNC }));
            }
            self.structures.add()?;
            self.absorb(head(packet, PACKET))?;
            return Ok(WalkStep::Skip(1));
        }
        Ok(WalkStep::Skip(wide(window.len())))
    }

    /// Reads a last packet without the bytes that usually follow it.
    fn absorb_rest(&mut self, rest: &[u8]) -> Result<(), FileRefusal> {
        let lead = if self.is_lost { 0 } else { self.layout.lead };
        let whole = |offset: &usize| rest.len() - offset >= PACKET;
        for offset in memchr::memchr_iter(SYNC, rest).filter(whole) {
            let packet = head(tail(rest, offset), PACKET);
            if begins_frame(packet) || (offset == lead && !self.is_lost) {
                self.absorb(packet)?;
            }
        }
        Ok(())
    }
}

/// Whether a picture or sound begins in a packet.
fn begins_frame(packet: &[u8]) -> bool {
    let starts = u16_be(packet, 1).is_some_and(|header| header & 0x4000 != 0);
    starts && pes::stream_number(payload(head(packet, PACKET))).is_some()
}

fn read_stream(stream: &mut ElementaryStream, clock: &mut WrappingClock, starts: bool, payload: &[u8]) {
    if !starts && stream.header.is_empty() {
        stream.absorb(payload);
        stream.count_pictures(payload);
        return;
    }
    if starts {
        // The previous packet was shorter than the longest header.
        let rest = std::mem::take(&mut stream.header);
        read_start(stream, clock, &rest, &[]);
    }
    // A header may span packets.
    let room = pes::LONGEST.saturating_sub(stream.header.len());
    let (taken, rest) = payload.split_at(room.min(payload.len()));
    stream.header.extend_from_slice(taken);
    if pes::is_complete(&stream.header) || stream.header.len() >= pes::LONGEST {
        let packet = std::mem::take(&mut stream.header);
        read_start(stream, clock, &packet, rest);
    }
}

/// Reads the beginning of a packet, which has the whole header, and the payload `rest` behind it.
fn read_start(stream: &mut ElementaryStream, clock: &mut WrappingClock, packet: &[u8], rest: &[u8]) {
    let Some(header) = pes::read(packet) else {
        return;
    };
    let has_times = pes::has_header(packet);
    stream.has_short_header |= header.is_short && has_times;
    let start = tail(packet, header.length);
    stream.recognise(pes::stream_number(packet).unwrap_or(0), start);
    if !pes::is_empty(packet, &header) {
        stream.begin(header.timestamps.filter(|_| stream.is_played() || has_times), clock);
        if let Some(other) = pes::other_timestamps(packet) {
            stream.begin(Some(other), clock);
        }
    }
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
        let PacketLayout { length, lead, .. } = self.layout;
        if self.is_lost {
            return self.resynchronise(window);
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
            self.absorb(head(packet, PACKET))?;
            passed += length;
        }
        self.is_lost = passed == 0;
        Ok(WalkStep::Skip(wide(passed)))
    }

    fn proven(&self) -> u64 {
        super::proven(&self.streams)
    }

    /// A transport stream declares no end, so a truncated one is valid up to its last packet.
    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        self.absorb_rest(end.tail)?;
        if self.has_too_many {
            return Err(FileRefusal::MetadataTooLarge { what: "more than 64 programs or streams" });
        }
        super::final_media(Container::MpegTs, &mut self.streams)
    }
}

#[cfg(test)]
mod tests;
