//! The sequence header of MPEG-1 and MPEG-2 video.

use crate::bytes::{array, u8_at};

const SEQUENCE_HEADER: u8 = 0xB3;

/// Width and height in twelve bits each, behind the unit's one-byte code.
pub(super) fn size(unit: &[u8]) -> Option<(u32, u32)> {
    if u8_at(unit, 0)? != SEQUENCE_HEADER {
        return None;
    }
    let [a, b, c] = array(unit, 1)?.map(u32::from);
    Some((a << 4 | b >> 4, (b & 0x0F) << 8 | c))
}
