//! Identifies a file by its first bytes: selects the walk for its container, or refuses it and names its format.
//!
//! Sixteen bytes are enough for nearly all formats; MPEG-TS, text and tar need two kilobytes. File names and declared
//! media types are not used. This module uses only magic numbers, and must not depend on the structures inside a
//! container.

mod signatures;
mod text;
mod transport;

use crate::driver::{FileEnd, Walk, WalkStep};
use crate::{FileRefusal, ForeignClass, ForeignFile, Media};
use crate::{asf, avi, flv, iso_bmff, matroska, mpeg, ogg};

const SHORT: usize = 16;
/// Room for five packets of 192 bytes after up to a kilobyte of junk, and for tar's magic number.
const LONG: usize = 2048;

/// The walk that every file starts with.
#[derive(Debug)]
pub(crate) struct Sniffer;

impl Walk for Sniffer {
    fn step(&mut self, _at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let Some(start) = window.get(..SHORT) else {
            return Ok(WalkStep::Need(SHORT));
        };
        if let Some(walk) = by_start(start)? {
            return Ok(WalkStep::Become(walk));
        }
        match window.get(..LONG) {
            Some(start) => by_content(start).map(WalkStep::Become),
            None => Ok(WalkStep::Need(LONG)),
        }
    }

    fn finish(&mut self, _end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        Err(not_a_video(ForeignFile::UNKNOWN))
    }

    fn successor(&self, tail: &[u8]) -> Result<Option<Box<dyn Walk>>, FileRefusal> {
        if tail.is_empty() {
            return Err(not_a_video(ForeignFile::EMPTY));
        }
        match by_start(tail)? {
            Some(walk) => Ok(Some(walk)),
            None => by_content(tail).map(Some),
        }
    }
}

/// Identifies a file by a magic number at its start.
fn by_start(start: &[u8]) -> Result<Option<Box<dyn Walk>>, FileRefusal> {
    if let Some(kind) = start.get(4..8)
        && iso_bmff::is_opening_box(kind)
    {
        return iso(start).map(Some);
    }
    if let Some(what) = signatures::by_magic(start) {
        return Err(not_a_video(what));
    }
    Ok(match start {
        [0x1A, 0x45, 0xDF, 0xA3, ..] => Some(Box::new(matroska::Matroska::default())),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'A', b'V', b'I', ..] => Some(Box::new(avi::Avi::default())),
        [b'F', b'L', b'V', 1, ..] => Some(Box::new(flv::Flv::default())),
        [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, ..] => Some(Box::new(asf::Asf::default())),
        [b'O', b'g', b'g', b'S', ..] => Some(Box::new(ogg::Ogg::default())),
        [0, 0, 1, 0xBA, ..] => Some(Box::new(mpeg::ProgramStream::default())),
        _ => None,
    })
}

/// Identifies formats without a magic number at the start, by their first two kilobytes.
fn by_content(start: &[u8]) -> Result<Box<dyn Walk>, FileRefusal> {
    if let Some(found) = transport::packet_layout(start) {
        return Ok(Box::new(mpeg::TransportStream::new(found)));
    }
    let what = signatures::without_magic(start).or_else(|| text::classify(start));
    Err(not_a_video(what.unwrap_or(ForeignFile::UNKNOWN)))
}

/// Selects the container by its brand. ISO-BMFF is also used for still pictures and single segments.
fn iso(start: &[u8]) -> Result<Box<dyn Walk>, FileRefusal> {
    let container = match iso_bmff::flavour_of(start) {
        iso_bmff::Flavour::Movie(container) => container,
        iso_bmff::Flavour::StillPicture(name) => {
            return Err(not_a_video(ForeignFile::new(ForeignClass::Image, name)));
        }
    };
    Ok(Box::new(iso_bmff::IsoBmff::new(container)))
}

fn not_a_video(what: ForeignFile) -> FileRefusal {
    FileRefusal::NotAVideo { what }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_identified_yet_has_no_verdict() {
        assert_eq!((Sniffer.is_known(), Sniffer.provisional(), Sniffer.proven()), (false, None, 0));
    }

    #[test]
    fn raw_sound_begins_with_a_frame_sync_and_a_layer() {
        for second in 0..=u8::MAX {
            let expected = match second {
                0xF0 | 0xF1 | 0xF8 | 0xF9 => Some("AAC"),
                0xE0.. if [1, 2, 3].contains(&(second / 2 % 4)) => Some("MP3"),
                _ => None,
            };
            let found = signatures::without_magic(&[0xFF, second]);
            assert_eq!(found.map(|file| file.name), expected, "{second:#x}");
        }
    }
}
