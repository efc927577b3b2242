//! Reads picture sizes from the parameter sets of video codecs, for containers that do not declare them.
//!
//! Only the fields up to the width and height are read. This module must not depend on any container.

mod bits;
mod h264;
mod hevc;
mod mpeg;

pub(crate) use mpeg::PictureCounter;

use crate::Codec;
use crate::bytes::{narrow, start_codes, tail, u8_at, u16_be, u32_be};

/// The header of HEVC sequence parameters. No slice of MPEG video begins like this, because its scale is never zero.
const HEVC_SEQUENCE: [u8; 2] = [0x42, 0x01];

/// The values read from a stream's parameter sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PictureParameters {
    pub(crate) codec: Codec,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Nanoseconds per frame, if the stream declares it.
    pub(crate) frame_duration: Option<u64>,
}

/// Searches for parameter sets in an elementary stream with start codes.
pub(crate) fn in_stream(codec: Codec, stream: &[u8]) -> Option<PictureParameters> {
    start_codes(stream).find_map(|at| in_unit(codec, tail(stream, at + 3))).or_else(|| as_newer_codec(codec, stream))
}

/// A program stream does not declare its video codec, and neither does a transport stream without tables. The parameter
/// sets of H.264 and HEVC are easy to recognise, unless the stream has start codes that only MPEG video has: a slice of
/// MPEG video may look like a parameter set.
fn as_newer_codec(codec: Codec, stream: &[u8]) -> Option<PictureParameters> {
    let is_mpeg_unit = |at: usize| matches!(stream.get(at + 3), Some(0x00 | 0xB3 | 0xB8));
    if !matches!(codec, Codec::Mpeg1video | Codec::Mpeg2video) || start_codes(stream).any(is_mpeg_unit) {
        return None;
    }
    start_codes(stream).map(|at| tail(stream, at + 3)).find_map(|unit| {
        let is_hevc = unit.starts_with(&HEVC_SEQUENCE);
        in_unit(if is_hevc { Codec::Hevc } else { Codec::H264 }, unit)
    })
}

fn in_unit(codec: Codec, unit: &[u8]) -> Option<PictureParameters> {
    let parameters = |(width, height)| PictureParameters { codec, width, height, frame_duration: None };
    match codec {
        Codec::H264 => h264::size(unit).map(parameters),
        Codec::Hevc => hevc::size(unit).map(parameters),
        Codec::Mpeg1video | Codec::Mpeg2video => mpeg::size(unit)
            .map(|size| PictureParameters { frame_duration: mpeg::frame_duration(unit), ..parameters(size) }),
        _ => None,
    }
    .filter(|parameters| parameters.width > 0 && parameters.height > 0)
}

/// Reads the size from an `avcC` record: five bytes, a count, and the length-prefixed first parameter set.
pub(crate) fn h264_configuration(record: &[u8]) -> Option<(u32, u32)> {
    u16_be(record, 6)?;
    h264::size(tail(record, 8)).filter(|(width, height)| *width > 0 && *height > 0)
}

/// Whether a frame of this size holds no slice of a picture, as far as its first bytes show: only delimiters, filling,
/// parameters and messages. Its units have lengths of four bytes; with others, the lengths do not fit the frame.
pub(crate) fn is_empty(codec: Codec, mut start: &[u8], mut size: u64) -> bool {
    let is_slice = |header: u8| match codec {
        Codec::H264 => matches!(header & 0x1F, 1..=5),
        Codec::Hevc => header >> 1 & 0x3F < 32,
        _ => true,
    };
    while let Some(length) = u32_be(start, 0) {
        let unit = u64::from(length).saturating_add(4);
        if unit > size || length > 0 && u8_at(start, 4).is_none_or(is_slice) {
            return false;
        }
        size -= unit;
        if size == 0 {
            return true;
        }
        start = tail(start, narrow(unit));
    }
    false
}

#[cfg(test)]
mod tests;
