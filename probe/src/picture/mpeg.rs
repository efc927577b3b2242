//! Reads the sequence header of MPEG-1 and MPEG-2 video.
//!
//! This module must not depend on how streams carry it.

use crate::bytes::{array, head, start_codes, tail, u8_at};
use crate::time::NANOS_PER_SECOND;

const SEQUENCE_HEADER: u8 = 0xB3;
const PICTURE: [u8; 4] = [0, 0, 1, 0];

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
pub(crate) struct PictureCounter {
    pub(crate) pictures: u64,
    /// The last bytes seen, which may be the beginning of a start code.
    carried: Vec<u8>,
}

impl PictureCounter {
    pub(crate) fn absorb(&mut self, payload: &[u8]) {
        let overlap = PICTURE.len() - 1;
        // A start code entirely inside the payload is counted there, not here.
        self.carried.extend_from_slice(head(payload, overlap));
        self.pictures = self.pictures.saturating_add(count(&self.carried)).saturating_add(count(payload));
        self.carried.extend_from_slice(tail(payload, payload.len().saturating_sub(overlap).max(overlap)));
        let surplus = self.carried.len().saturating_sub(overlap);
        self.carried.drain(..surplus);
    }
}

fn count(bytes: &[u8]) -> u64 {
    let is_picture = |at: &usize| u8_at(bytes, at + PICTURE.len() - 1) == Some(0);
    crate::bytes::wide(start_codes(bytes).filter(is_picture).count())
}
