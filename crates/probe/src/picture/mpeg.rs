//! Reads the sequence header of MPEG-1 and MPEG-2 video.
//!
//! This module must not depend on how streams carry it.

use crate::Codec;
use crate::bytes::{array, head, start_codes, tail, u8_at};
use crate::time::NANOS_PER_SECOND;

const SEQUENCE_HEADER: u8 = 0xB3;

/// Returns the width and height, which have twelve bits each and follow the unit's one-byte code.
pub(super) fn size(unit: &[u8]) -> Option<(u32, u32)> {
    if u8_at(unit, 0)? != SEQUENCE_HEADER {
        return None;
    }
    let [a, b, c] = array(unit, 1)?.map(u32::from);
    Some((a << 4 | b >> 4, (b & 0x0F) << 8 | c))
}

/// Returns nanoseconds per frame from the frame rate code.
pub(super) fn frame_duration(unit: &[u8]) -> Option<u64> {
    let (frames, seconds) = match u8_at(unit, 4)? & 0x0F {
        1 => (24_000, 1001),
        2 => (24, 1),
        3 => (25, 1),
        4 => (30_000, 1001),
        5 => (30, 1),
        6 => (50, 1),
        7 => (60_000, 1001),
        8 => (60, 1),
        _ => return None,
    };
    Some(seconds * NANOS_PER_SECOND / frames)
}

/// Counts pictures by their start codes, even if packets split a start code.
#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PictureCounter {
    pub(crate) pictures: u64,
    /// The last bytes seen, which may be the beginning of a start code.
    carried: Vec<u8>,
}

impl PictureCounter {
    pub(crate) fn absorb(&mut self, codec: Codec, payload: &[u8]) {
        let overlap = 2 + unit_start(codec);
        // A start code entirely inside the payload is counted there, not here.
        self.carried.extend_from_slice(head(payload, overlap));
        let split = count(codec, &self.carried);
        self.pictures = self.pictures.saturating_add(split).saturating_add(count(codec, payload));
        self.carried.extend_from_slice(tail(payload, payload.len().saturating_sub(overlap).max(overlap)));
        let surplus = self.carried.len().saturating_sub(overlap);
        self.carried.drain(..surplus);
    }
}

fn count(codec: Codec, bytes: &[u8]) -> u64 {
    let begins = |at: &usize| {
        let unit = tail(bytes, at + 3);
        unit.get(..unit_start(codec)).is_some_and(|start| begins_picture(codec, start))
    };
    crate::bytes::wide(start_codes(bytes).filter(begins).count())
}

/// Returns how many bytes of a unit tell whether it begins a picture.
fn unit_start(codec: Codec) -> usize {
    match codec {
        Codec::Hevc => 3,
        Codec::H264 => 2,
        _ => 1,
    }
}

/// Whether the first bytes of a unit begin a picture, and not another part of one.
fn begins_picture(codec: Codec, start: &[u8]) -> bool {
    match (codec, start) {
        // A stream may be MPEG-4 although nothing says so. MPEG-1 and MPEG-2 do not use its code.
        (Codec::Mpeg1video | Codec::Mpeg2video, [0x00 | 0xB6]) | (Codec::Mpeg4, [0xB6]) | (Codec::Vc1, [0x0D]) => true,
        // The slice with the first macroblock of a picture, or any slice of the second eye's view in a 3D video.
        (Codec::H264, [header, slice]) => match header & 0x1F {
            1 | 5 => slice & 0x80 != 0,
            kind => kind == 20,
        },
        (Codec::Hevc, [header, _, slice]) => header >> 1 & 0x3F < 32 && slice & 0x80 != 0,
        _ => false,
    }
}
