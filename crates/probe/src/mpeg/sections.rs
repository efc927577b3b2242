//! Reads the program tables of a transport stream: which packets belong to which streams, and the codecs of the
//! streams.
//!
//! This module must not depend on how packets carry the sections.

use crate::bytes::{head, narrow, tail, u8_at, u16_be};
use crate::{Codec, TrackKind};

/// The tag of the descriptor that names the format of a program or a stream.
const REGISTRATION: u8 = 0x05;
/// Fills packets behind the last section.
const STUFFING: u8 = 0xFF;
/// The checksum of each value of four bits. Computing the checksum bit by bit would take half as long again.
const CHECKSUMS: [u32; 16] = [
    0x0000_0000,
    0x04C1_1DB7,
    0x0982_3B6E,
    0x0D43_26D9,
    0x1304_76DC,
    0x17C5_6B6B,
    0x1A86_4DB2,
    0x1E47_5005,
    0x2608_EDB8,
    0x22C9_F00F,
    0x2F8A_D6D6,
    0x2B4B_CB61,
    0x350C_9B64,
    0x31CD_86D3,
    0x3C8E_A00A,
    0x384F_BDBD,
];

/// Collects sections from packets.
#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Sections {
    /// The beginning of a section, whose length is at most 4,098 bytes.
    bytes: Vec<u8>,
    has_begun: bool,
}

impl Sections {
    /// Adds one packet's payload. Returns the sections that it completes. Sections with a wrong checksum, and sections
    /// that are not valid yet, are left out, because players ignore them.
    pub(super) fn absorb(&mut self, starts: bool, payload: &[u8]) -> Vec<Vec<u8>> {
        let mut whole = Vec::new();
        if !starts {
            self.add(payload, &mut whole);
            return whole;
        }
        // The pointer says where a section begins. The bytes before it are the end of the previous section.
        let pointer = u8_at(payload, 0).map_or(0, usize::from);
        let rest = tail(payload, 1);
        self.add(head(rest, pointer), &mut whole);
        self.bytes.clear();
        self.has_begun = true;
        self.add(tail(rest, pointer), &mut whole);
        whole
    }

    fn add(&mut self, part: &[u8], whole: &mut Vec<Vec<u8>>) {
        if !self.has_begun {
            return;
        }
        self.bytes.extend_from_slice(part);
        while let Some(length) = u16_be(&self.bytes, 1).map(|length| 3 + usize::from(length & 0x0FFF)) {
            if self.bytes.first() == Some(&STUFFING) {
                self.bytes.clear();
            } else if self.bytes.len() < length {
                return;
            } else {
                let rest = self.bytes.split_off(length);
                let section = std::mem::replace(&mut self.bytes, rest);
                whole.extend(Some(section).filter(|section| is_valid(section)));
            }
        }
        self.has_begun = !self.bytes.is_empty();
    }
}

fn is_valid(section: &[u8]) -> bool {
    u8_at(section, 5).is_some_and(|version| version & 1 == 1) && checksum(section) == 0
}

/// Returns the checksum of these bytes. For bytes that end with their own correct checksum, it is zero.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    let add = |sum: u32, nibble: u8| {
        let at = narrow(u64::from(sum >> 28 ^ u32::from(nibble)));
        sum << 4 ^ CHECKSUMS.get(at).unwrap_or(&0)
    };
    bytes.iter().fold(u32::MAX, |sum, byte| add(add(sum, byte >> 4), byte & 0xF))
}

/// Returns the packet ids of the program tables that the association table lists.
pub(super) fn program_tables(section: &[u8]) -> impl Iterator<Item = u16> {
    let is_association = u8_at(section, 0) == Some(0);
    let entries = body(section, 8).chunks_exact(4);
    entries
        .filter(move |entry| is_association && u16_be(entry, 0) != Some(0))
        .filter_map(|entry| u16_be(entry, 2).map(|pid| pid & 0x1FFF))
}

/// A program table's description of a stream.
#[derive(Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct StreamDescription {
    pub(super) pid: u16,
    pub(super) kind: TrackKind,
    pub(super) codec: Codec,
    /// Whether the table says that it is subtitles or data, which no player plays as picture or sound.
    pub(super) is_data: bool,
}

impl StreamDescription {
    /// Adds a later description of the same stream. It counts only where the earlier ones say nothing.
    pub(super) fn add(&mut self, later: &Self) {
        if self.kind == TrackKind::Other {
            (self.kind, self.codec) = (later.kind, later.codec);
        }
        self.is_data &= later.is_data;
    }
}

/// Returns the streams of one program.
pub(super) fn streams(section: &[u8]) -> Vec<StreamDescription> {
    let mut streams = Vec::new();
    if u8_at(section, 0) != Some(2) {
        return streams;
    }
    let described = u16_be(section, 10).map_or(0, |length| usize::from(length & 0x0FFF));
    let is_disc = descriptors(head(body(section, 12), described))
        .any(|(tag, content)| tag == REGISTRATION && content.starts_with(b"HDMV"));
    let mut entries = body(section, 12 + described);
    while let (Some(code), Some(pid), Some(length)) = (u8_at(entries, 0), u16_be(entries, 1), u16_be(entries, 3)) {
        let length = usize::from(length & 0x0FFF);
        let descriptors = head(tail(entries, 5), length);
        let (kind, codec) = match code {
            // On discs. In cable networks it is MPEG-2 video, which players recognise.
            0x80 if is_disc => (TrackKind::Audio, Codec::Pcm),
            _ => meaning(code, descriptors),
        };
        streams.push(StreamDescription { pid: pid & 0x1FFF, kind, codec, is_data: is_data(code, descriptors) });
        entries = tail(entries, 5 + length);
    }
    streams
}

/// Returns the section from `at` on, without its checksum.
fn body(section: &[u8], at: usize) -> &[u8] {
    tail(head(section, section.len().saturating_sub(4)), at)
}

fn meaning(code: u8, descriptors: &[u8]) -> (TrackKind, Codec) {
    match code {
        0x01 => (TrackKind::Video, Codec::Mpeg1video),
        0x02 => (TrackKind::Video, Codec::Mpeg2video),
        0x10 => (TrackKind::Video, Codec::Mpeg4),
        0x1B | 0x20 | 0xDB => (TrackKind::Video, Codec::H264),
        0x24 | 0x25 => (TrackKind::Video, Codec::Hevc),
        0x33 => (TrackKind::Video, Codec::Vvc),
        0xD1 => (TrackKind::Video, Codec::Dirac),
        0xEA => (TrackKind::Video, Codec::Vc1),
        // JPEG 2000, JPEG XS and the AVS family.
        0x21 | 0x32 | 0x42 | 0xD2 | 0xD4 => (TrackKind::Video, Codec::Unknown),
        0x03 | 0x04 => (TrackKind::Audio, Codec::Mp3),
        0x0F | 0x11 | 0x1C | 0xCF => (TrackKind::Audio, Codec::Aac),
        0x81 | 0xC1 => (TrackKind::Audio, Codec::Ac3),
        0x83 => (TrackKind::Audio, Codec::Truehd),
        0x2A | 0x82 | 0x85 | 0x86 | 0x8A | 0xA2 => (TrackKind::Audio, Codec::Dts),
        0x84 | 0x87 | 0xA1 | 0xC2 => (TrackKind::Audio, Codec::Eac3),
        0x2D | 0x2E => (TrackKind::Audio, Codec::Unknown),
        0x06 => private(descriptors),
        _ => (TrackKind::Other, Codec::Unknown),
    }
}

/// Whether a stream is subtitles or data: sections, metadata, subtitles of discs, teletext and captions, or
/// measurements. Players know that by the same numbers, and do not look for picture or sound there.
fn is_data(code: u8, bytes: &[u8]) -> bool {
    match code {
        0x06 => descriptors(bytes).any(|descriptor| {
            matches!(descriptor, (0x45 | 0x46 | 0x56 | 0x59 | 0xFD, _) | (REGISTRATION, b"KLVA" | b"ID3 " | b"VANC"))
        }),
        _ => matches!(code, 0x05 | 0x08 | 0x0A..=0x0D | 0x13..=0x16 | 0x90..=0x92),
    }
}

/// Returns the descriptors in these bytes, each with its tag and its content.
fn descriptors(mut bytes: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let (tag, length) = (u8_at(bytes, 0)?, usize::from(u8_at(bytes, 1)?));
        let content = head(tail(bytes, 2), length);
        bytes = tail(bytes, 2 + length);
        Some((tag, content))
    })
}

/// Identifies the codec of private data from its descriptors.
fn private(bytes: &[u8]) -> (TrackKind, Codec) {
    let known = descriptors(bytes).find_map(|descriptor| {
        Some(match descriptor {
            (0x6A, _) | (REGISTRATION, b"AC-3") => (TrackKind::Audio, Codec::Ac3),
            (0x7A, _) | (REGISTRATION, b"EAC3") => (TrackKind::Audio, Codec::Eac3),
            (0x7B, _) | (REGISTRATION, b"DTS1" | b"DTS2" | b"DTS3") => (TrackKind::Audio, Codec::Dts),
            (0x7C, _) => (TrackKind::Audio, Codec::Aac),
            // SMPTE 302M.
            (REGISTRATION, b"BSSD") => (TrackKind::Audio, Codec::Unknown),
            (REGISTRATION, b"Opus") => (TrackKind::Audio, Codec::Opus),
            (REGISTRATION, b"HEVC") => (TrackKind::Video, Codec::Hevc),
            (REGISTRATION, b"AV01") => (TrackKind::Video, Codec::Av1),
            (REGISTRATION, b"VC-1") => (TrackKind::Video, Codec::Vc1),
            _ => return None,
        })
    });
    known.unwrap_or((TrackKind::Other, Codec::Unknown))
}

#[cfg(test)]
mod tests;
