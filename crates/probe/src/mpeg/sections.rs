//! Reads the program tables of a transport stream: which packets belong to which streams, and the codecs of the
//! streams.
//!
//! This module must not depend on how packets carry the sections.

use crate::bytes::{head, tail, u8_at, u16_be};
use crate::{Codec, TrackKind};

/// The maximum length of a section.
const LONGEST: usize = 1024 + 3;

/// Collects a section from several packets.
#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Section {
    bytes: Vec<u8>,
}

impl Section {
    /// Adds one packet's payload. Returns the section once it is complete.
    pub(super) fn absorb(&mut self, starts: bool, payload: &[u8]) -> Option<Vec<u8>> {
        if starts {
            let pointer = usize::from(u8_at(payload, 0)?);
            self.bytes = head(tail(payload, 1 + pointer), LONGEST).to_vec();
        } else if self.bytes.is_empty() {
            return None;
        } else {
            let room = LONGEST.saturating_sub(self.bytes.len());
            self.bytes.extend_from_slice(head(payload, room));
        }
        let length = 3 + usize::from(u16_be(&self.bytes, 1)? & 0x0FFF);
        let whole = self.bytes.get(..length)?.to_vec();
        self.bytes.clear();
        Some(whole)
    }
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
pub(super) struct StreamDescription {
    pub(super) pid: u16,
    pub(super) kind: TrackKind,
    pub(super) codec: Codec,
    /// Whether the table says that it is subtitles or data, which no player plays as picture or sound.
    pub(super) is_data: bool,
}

/// Returns the streams of one program.
pub(super) fn streams(section: &[u8]) -> Vec<StreamDescription> {
    let mut streams = Vec::new();
    if u8_at(section, 0) != Some(2) {
        return streams;
    }
    let described = u16_be(section, 10).map_or(0, |length| usize::from(length & 0x0FFF));
    let mut entries = body(section, 12 + described);
    while let (Some(code), Some(pid), Some(length)) = (u8_at(entries, 0), u16_be(entries, 1), u16_be(entries, 3)) {
        let length = usize::from(length & 0x0FFF);
        let descriptors = head(tail(entries, 5), length);
        let (kind, codec) = meaning(code, descriptors);
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
        0x80 => (TrackKind::Audio, Codec::Pcm),
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
fn is_data(code: u8, mut descriptors: &[u8]) -> bool {
    if code != 0x06 {
        return matches!(code, 0x05 | 0x08 | 0x0A..=0x0D | 0x13..=0x16 | 0x90..=0x92);
    }
    while let (Some(tag), Some(length)) = (u8_at(descriptors, 0), u8_at(descriptors, 1)) {
        let length = usize::from(length);
        let content = head(tail(descriptors, 2), length);
        if matches!((tag, content), (0x45 | 0x46 | 0x56 | 0x59 | 0xFD, _) | (0x05, b"KLVA" | b"ID3 " | b"VANC")) {
            return true;
        }
        descriptors = tail(descriptors, 2 + length);
    }
    false
}

/// Identifies the codec of private data from its descriptors.
fn private(mut descriptors: &[u8]) -> (TrackKind, Codec) {
    while let (Some(tag), Some(length)) = (u8_at(descriptors, 0), u8_at(descriptors, 1)) {
        let length = usize::from(length);
        let content = head(tail(descriptors, 2), length);
        match (tag, content) {
            (0x6A, _) | (0x05, b"AC-3") => return (TrackKind::Audio, Codec::Ac3),
            (0x7A, _) | (0x05, b"EAC3") => return (TrackKind::Audio, Codec::Eac3),
            (0x7B, _) | (0x05, b"DTS1" | b"DTS2" | b"DTS3") => {
                return (TrackKind::Audio, Codec::Dts);
            }
            (0x7C, _) => return (TrackKind::Audio, Codec::Aac),
            // SMPTE 302M.
            (0x05, b"BSSD") => return (TrackKind::Audio, Codec::Unknown),
            (0x05, b"Opus") => return (TrackKind::Audio, Codec::Opus),
            (0x05, b"HEVC") => return (TrackKind::Video, Codec::Hevc),
            (0x05, b"AV01") => return (TrackKind::Video, Codec::Av1),
            (0x05, b"VC-1") => return (TrackKind::Video, Codec::Vc1),
            _ => descriptors = tail(descriptors, 2 + length),
        }
    }
    (TrackKind::Other, Codec::Unknown)
}

#[cfg(test)]
mod tests;
