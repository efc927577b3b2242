//! MPEG transport streams: packets of 188 bytes, or of 192 bytes including a timestamp before each.
//!
//! This module must not depend on how program streams carry packets.

use super::clock::WrappingClock;
use super::pes;
use super::sections::{self, Section};
use super::stream::ElementaryStream;
use crate::bytes::{tail, u8_at, u16_be, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::{Container, FileRefusal, Media};

const SYNC: u8 = 0x47;
const PACKET: usize = 188;
const MAX_PROGRAMS: usize = 16;
const MAX_STREAMS: usize = 64;

/// The layout of the packets, as detected by the sniffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PacketLayout {
    pub(crate) length: usize,
    /// Bytes before the sync byte of each packet.
    pub(crate) lead: usize,
    /// Bytes before the first packet.
    pub(crate) junk: usize,
}

#[derive(Debug)]
pub(crate) struct TransportStream {
    layout: PacketLayout,
    association: Section,
    programs: Vec<(u16, Section)>,
    streams: Vec<ElementaryStream>,
    clock: WrappingClock,
    /// Whether the position of the packets was lost.
    is_lost: bool,
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
        }
    }

    /// Reads one packet, beginning with its sync byte.
    fn absorb(&mut self, packet: &[u8]) {
        let Some(header) = u16_be(packet, 1) else {
            return;
        };
        let (damaged, starts, pid) = (header & 0x8000 != 0, header & 0x4000 != 0, header & 0x1FFF);
        let payload = payload(packet);
        if damaged || payload.is_empty() {
            return;
        }
        if pid == 0 {
            self.read_association(starts, payload);
        } else if let Some(stream) = self.streams.iter_mut().find(|stream| stream.id == pid) {
            read_stream(stream, &mut self.clock, starts, payload);
        } else if let Some((_, section)) = self.programs.iter_mut().find(|(own, _)| *own == pid) {
            let whole = section.absorb(starts, payload);
            self.read_program(&whole.unwrap_or_default());
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

    fn read_program(&mut self, section: &[u8]) {
        for stream in sections::streams(section) {
            let is_known = self.streams.iter().any(|own| own.id == stream.id);
            if !is_known && self.streams.len() < MAX_STREAMS {
                self.streams.push(stream);
            }
        }
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
    if !starts {
        stream.absorb(payload);
        return;
    }
    let Some(header) = pes::read(payload) else {
        return;
    };
    stream.begin(header.timestamps, clock);
    stream.absorb(tail(payload, header.length));
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
            self.absorb(packet.get(..PACKET).unwrap_or(packet));
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
        super::final_media(Container::MpegTs, &mut self.streams)
    }
}

#[cfg(test)]
mod tests;
