//! MPEG transport streams: packets of 188 bytes, or of 192 with a time stamp before each.

use super::clock::Clock;
use super::pes;
use super::sections::{self, Section};
use super::stream::Stream;
use crate::bytes::{tail, u8_at, u16_be, wide};
use crate::driver::{End, Step, Walk};
use crate::{Container, Media, Refusal};

const SYNC: u8 = 0x47;
const PACKET: usize = 188;
const MAX_PROGRAMS: usize = 16;
const MAX_STREAMS: usize = 64;

/// The shape of the packets, as the sniffer found it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packets {
    pub(crate) length: usize,
    /// Bytes before the sync byte of each packet.
    pub(crate) lead: usize,
    /// Bytes before the first packet.
    pub(crate) junk: usize,
}

#[derive(Debug)]
pub(crate) struct TransportStream {
    packets: Packets,
    association: Section,
    programs: Vec<(u16, Section)>,
    streams: Vec<Stream>,
    clock: Clock,
    /// Whether the packets' places have been lost.
    lost: bool,
}

impl TransportStream {
    pub(crate) fn new(packets: Packets) -> Self {
        Self {
            packets,
            association: Section::default(),
            programs: Vec::new(),
            streams: Vec::new(),
            clock: Clock::default(),
            lost: false,
        }
    }

    /// One packet, from its sync byte on.
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

    /// Behind damage: on to where two sync bytes stand one packet apart.
    fn resynchronise(&mut self, window: &[u8]) -> Step {
        let Packets { length, lead, .. } = self.packets;
        for offset in memchr::memchr_iter(SYNC, tail(window, lead)) {
            match u8_at(window, lead + offset + length) {
                Some(SYNC) => {
                    self.lost = false;
                    return Step::Skip(wide(offset));
                }
                Some(_) => {}
                None if offset > 0 => return Step::Skip(wide(offset)),
                None => return Step::Need(lead + length + 1),
            }
        }
        match window.len().saturating_sub(lead) {
            0 => Step::Need(lead + 1),
            searched => Step::Skip(wide(searched)),
        }
    }
}

fn read_stream(stream: &mut Stream, clock: &mut Clock, starts: bool, payload: &[u8]) {
    if !starts {
        stream.absorb(payload);
        return;
    }
    let Some(header) = pes::read(payload) else {
        return;
    };
    stream.begin(header.stamps, clock);
    stream.absorb(tail(payload, header.length));
}

/// What follows the packet's header and its adaptation field.
fn payload(packet: &[u8]) -> &[u8] {
    match u8_at(packet, 3).map_or(0, |flags| flags >> 4 & 3) {
        1 => tail(packet, 4),
        3 => tail(packet, 5 + usize::from(u8_at(packet, 4).unwrap_or(0))),
        _ => &[],
    }
}

impl Walk for TransportStream {
    fn step(&mut self, _at: u64, window: &[u8]) -> Result<Step, Refusal> {
        let Packets { length, lead, junk } = self.packets;
        if junk > 0 {
            self.packets.junk = 0;
            return Ok(Step::Skip(wide(junk)));
        }
        if self.lost {
            return Ok(self.resynchronise(window));
        }
        if window.len() < length {
            return Ok(Step::Need(length));
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
        self.lost = passed == 0;
        Ok(Step::Skip(wide(passed)))
    }

    fn proven(&self) -> u64 {
        super::proven(&self.streams)
    }

    /// A stream declares no end, so one cut anywhere is whole up to there.
    fn finish(&mut self, _end: End<'_>) -> Result<Media, Refusal> {
        super::verdict(Container::MpegTs, &mut self.streams)
    }
}
