//! Picture sizes out of the parameter sets of video codecs, for containers that do not tell them.
//!
//! Only the way to width and height is read. Knows no container.

mod bits;
mod h264;
mod hevc;
mod mpeg;

pub(crate) use mpeg::PictureCounter;

use crate::Codec;
use crate::bytes::{start_codes, tail, u16_be};

/// What a stream's parameters say of its pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) codec: Codec,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// How many nanoseconds a frame stays, where the stream itself tells.
    pub(crate) frame: Option<u64>,
}

/// Looks for the parameters in an elementary stream with start codes.
pub(crate) fn in_stream(codec: Codec, stream: &[u8]) -> Option<Told> {
    start_codes(stream).find_map(|at| in_unit(codec, tail(stream, at + 3)))
}

fn in_unit(codec: Codec, unit: &[u8]) -> Option<Told> {
    let told = |(width, height)| Told {
        codec,
        width,
        height,
        frame: None,
    };
    match codec {
        Codec::H264 => h264::size(unit).map(told),
        Codec::Hevc => hevc::size(unit).map(told),
        Codec::Mpeg1video | Codec::Mpeg2video => mpeg::size(unit)
            .map(|size| Told {
                frame: mpeg::frame(unit),
                ..told(size)
            })
            // A program stream does not tell what its video is; H.264 parameters are plain to see.
            .or_else(|| {
                h264::size(unit).map(|size| Told {
                    codec: Codec::H264,
                    ..told(size)
                })
            }),
        _ => None,
    }
    .filter(|told| told.width > 0 && told.height > 0)
}

/// The size in an `avcC` record: five bytes, a count, and the first parameter set behind its length.
pub(crate) fn h264_configuration(record: &[u8]) -> Option<(u32, u32)> {
    u16_be(record, 6)?;
    h264::size(tail(record, 8)).filter(|(width, height)| *width > 0 && *height > 0)
}
