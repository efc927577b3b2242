//! What a file is by its first bytes: the walk of its container, or a refusal that names the format.
//!
//! Sixteen bytes decide nearly everything; MPEG-TS, text and tar need two kilobytes. Names and declared
//! types play no part. Knows the magic numbers, not the containers behind them.

mod signatures;
mod text;
mod transport;

use crate::driver::{End, Step, Walk};
use crate::{Foreign, ForeignClass, Media, Refusal};
use crate::{asf, avi, flv, iso_bmff, matroska, mpeg, ogg};

const SHORT: usize = 16;
/// Room for five packets of 192 bytes behind up to a kilobyte of junk, and for tar's magic.
const LONG: usize = 2048;

/// The walk that every file starts with.
#[derive(Debug)]
pub(crate) struct Sniffer;

impl Walk for Sniffer {
    fn step(&mut self, _at: u64, window: &[u8]) -> Result<Step, Refusal> {
        let Some(start) = window.get(..SHORT) else {
            return Ok(Step::Need(SHORT));
        };
        if let Some(walk) = by_start(start)? {
            return Ok(Step::Become(walk));
        }
        match window.get(..LONG) {
            Some(start) => by_content(start).map(Step::Become),
            None => Ok(Step::Need(LONG)),
        }
    }

    fn finish(&mut self, _end: End<'_>) -> Result<Media, Refusal> {
        Err(foreign(Foreign::UNKNOWN))
    }

    fn successor(&self, tail: &[u8]) -> Result<Option<Box<dyn Walk>>, Refusal> {
        if tail.is_empty() {
            return Err(foreign(Foreign::EMPTY));
        }
        match by_start(tail)? {
            Some(walk) => Ok(Some(walk)),
            None => by_content(tail).map(Some),
        }
    }
}

/// Judges by magic numbers at the very start.
fn by_start(start: &[u8]) -> Result<Option<Box<dyn Walk>>, Refusal> {
    if let Some(kind) = start.get(4..8)
        && iso_bmff::is_opening_box(kind)
    {
        return iso(start).map(Some);
    }
    if let Some(what) = signatures::foreign(start) {
        return Err(foreign(what));
    }
    Ok(match start {
        [0x1A, 0x45, 0xDF, 0xA3, ..] => Some(Box::new(matroska::Matroska::default())),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'A', b'V', b'I', ..] => {
            Some(Box::new(avi::Avi::default()))
        }
        [b'F', b'L', b'V', 1, ..] => Some(Box::new(flv::Flv::default())),
        [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, ..] => Some(Box::new(asf::Asf::default())),
        [b'O', b'g', b'g', b'S', ..] => Some(Box::new(ogg::Ogg::default())),
        [0, 0, 1, 0xBA, ..] => Some(Box::new(mpeg::ProgramStream::default())),
        _ => None,
    })
}

/// Judges by what the first kilobytes look like, for formats without a magic number at the start.
fn by_content(start: &[u8]) -> Result<Box<dyn Walk>, Refusal> {
    if let Some(found) = transport::find(start) {
        return Ok(Box::new(mpeg::TransportStream::new(found)));
    }
    let what = signatures::late(start).or_else(|| text::classify(start));
    Err(foreign(what.unwrap_or(Foreign::UNKNOWN)))
}

/// ISO-BMFF also carries still pictures and lone segments; the brand tells.
fn iso(start: &[u8]) -> Result<Box<dyn Walk>, Refusal> {
    let container = match iso_bmff::flavour(start) {
        iso_bmff::Flavour::Movie(container) => container,
        iso_bmff::Flavour::Picture(name) => {
            return Err(foreign(Foreign::new(ForeignClass::Image, name)));
        }
    };
    Ok(Box::new(iso_bmff::IsoBmff::new(container)))
}

fn foreign(what: Foreign) -> Refusal {
    Refusal::NotAVideo { what }
}
