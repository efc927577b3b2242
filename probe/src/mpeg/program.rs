//! MPEG program streams: packs of packets, each behind a start code and with its own length.

use super::clock::Clock;
use super::pes;
use super::stream::Stream;
use crate::bytes::{array, start_codes, tail, u8_at, u16_be, wide};
use crate::driver::{End, Step, Walk};
use crate::{Codec, Container, Media, Refusal, TrackKind};

/// Start code and length.
const HEADER: usize = 6;
/// Room for the longest packet header and what tells one private stream from another.
const PACKET_START: usize = pes::LONGEST + 8;
const MAX_STREAMS: usize = 64;
const CONTAINER: Container = Container::MpegPs;

#[derive(Debug, Default)]
pub(crate) struct ProgramStream {
    streams: Vec<Stream>,
    clock: Clock,
}

impl ProgramStream {
    fn step_packet(&mut self, code: u8, window: &[u8]) -> Step {
        let Some(length) = u16_be(window, 4) else {
            return Step::Need(HEADER);
        };
        let whole = HEADER + usize::from(length);
        let wanted = match code {
            // Pictures are counted, so their packets are read to the end.
            0xE0..=0xEF => whole,
            0xBD | 0xC0..=0xDF | 0xFD => whole.min(PACKET_START),
            _ => return Step::Skip(wide(whole)),
        };
        match window.get(..wanted) {
            Some(packet) => {
                self.absorb(code, packet, whole);
                Step::Skip(wide(whole))
            }
            None => Step::Need(wanted),
        }
    }

    fn absorb(&mut self, code: u8, packet: &[u8], whole: usize) {
        let Some(header) = pes::read(packet) else {
            return;
        };
        let payload = tail(packet, header.length);
        let (id, kind, codec) = meaning(code, payload);
        let Some(index) = self.index_of(id, kind, codec) else {
            return;
        };
        let Some(stream) = self.streams.get_mut(index) else {
            return;
        };
        if header.stamps.is_some() {
            stream.begin(header.stamps, &mut self.clock);
        }
        stream.absorb(payload);
        stream.count_pictures(payload);
        let unseen = whole.saturating_sub(packet.len());
        stream.pass(wide(unseen));
    }

    fn index_of(&mut self, id: u16, kind: TrackKind, codec: Codec) -> Option<usize> {
        let known = self.streams.iter().position(|stream| stream.id == id);
        if known.is_none() && self.streams.len() < MAX_STREAMS {
            self.streams.push(Stream::new(id, kind, codec));
            return self.streams.len().checked_sub(1);
        }
        known
    }
}

/// Whose packet it is. Private packets carry sounds and pictures of text, told apart by their first byte.
fn meaning(code: u8, payload: &[u8]) -> (u16, TrackKind, Codec) {
    let id = u16::from(code);
    match code {
        0xC0..=0xDF => (id, TrackKind::Audio, Codec::Mp2),
        0xE0..=0xEF => (id, TrackKind::Video, Codec::Mpeg2video),
        0xFD => (id, TrackKind::Video, Codec::Vc1),
        _ => {
            let part = u8_at(payload, 0).unwrap_or(0);
            let (kind, codec) = match part {
                0x80..=0x87 => (TrackKind::Audio, Codec::Ac3),
                0x88..=0x8F => (TrackKind::Audio, Codec::Dts),
                0xA0..=0xAF => (TrackKind::Audio, Codec::Pcm),
                _ => (TrackKind::Other, Codec::Unknown),
            };
            (id << 8 | u16::from(part), kind, codec)
        }
    }
}

/// MPEG-2 packs end with stuffing, MPEG-1 packs are shorter.
fn pack_length(window: &[u8]) -> Option<usize> {
    match u8_at(window, 4)? >> 6 {
        1 => u8_at(window, 13).map(|stuffing| 14 + usize::from(stuffing & 7)),
        _ => Some(12),
    }
}

/// On to the next start code.
fn resynchronise(window: &[u8]) -> Step {
    let ahead = tail(window, 1);
    match start_codes(ahead).next() {
        Some(offset) => Step::Skip(wide(offset).saturating_add(1)),
        // Two zero bytes at the end may be the beginning of one.
        None => Step::Skip(wide(window.len().saturating_sub(2).max(1))),
    }
}

impl Walk for ProgramStream {
    fn step(&mut self, _at: u64, window: &[u8]) -> Result<Step, Refusal> {
        Ok(match array::<4>(window, 0) {
            None => Step::Need(4),
            Some([0, 0, 1, 0xBA]) => match pack_length(window) {
                Some(length) => Step::Skip(wide(length)),
                None => Step::Need(14),
            },
            Some([0, 0, 1, code @ 0xBB..=0xFF]) => self.step_packet(code, window),
            Some([0, 0, 1, _]) => Step::Skip(4),
            Some(_) => resynchronise(window),
        })
    }

    fn proven(&self) -> u64 {
        super::proven(&self.streams)
    }

    fn finish(&mut self, end: End<'_>) -> Result<Media, Refusal> {
        if end.missing > 0 || end.tail.len() >= HEADER {
            return Err(Refusal::Truncated {
                container: CONTAINER,
                what: "a packet ends beyond the end of the file",
            });
        }
        super::verdict(CONTAINER, &mut self.streams)
    }
}
