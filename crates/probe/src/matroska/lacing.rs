//! Checks the lengths of the frames in a laced block.
//!
//! If the lengths contradict each other, players search the block for clusters, so such a block may hide media. This
//! module must not depend on tracks or times.

use super::element::{signed_number, track_number};
use crate::bytes::{tail, u8_at, wide};

const LACING: u8 = 0x06;
const XIPH: u8 = 0x02;
const FIXED: u8 = 0x04;

/// Whether a block with this beginning is laced.
pub(super) fn is_laced(block: &[u8]) -> bool {
    lacing_at(block).and_then(|at| u8_at(block, at)).is_some_and(|flags| flags & LACING != 0)
}

/// Whether the frames' lengths fit into a laced block of `size` bytes. `block` is its beginning.
pub(super) fn is_valid(block: &[u8], size: u64) -> bool {
    lengths_fit(block, size).unwrap_or(false)
}

fn lacing_at(block: &[u8]) -> Option<usize> {
    track_number(block).map(|(_, length)| length + 2)
}

fn lengths_fit(block: &[u8], size: u64) -> Option<bool> {
    let at = lacing_at(block)?;
    let lacing = u8_at(block, at)? & LACING;
    let others = usize::from(u8_at(block, at + 1)?);
    let lengths = tail(block, at + 2);
    let room = size.checked_sub(wide(at + 2))?;
    let (used, total) = match lacing {
        FIXED => return room.checked_rem(wide(others + 1)).map(|rest| rest == 0),
        XIPH => xiph_lengths(lengths, others)?,
        _ => ebml_lengths(lengths, others)?,
    };
    Some(total <= room.checked_sub(wide(used))?)
}

/// Reads the lengths of all frames but the last. Returns the number of bytes that they occupy, and their sum.
fn xiph_lengths(bytes: &[u8], count: usize) -> Option<(usize, u64)> {
    let (mut at, mut total) = (0, 0_u64);
    for _ in 0..count {
        loop {
            let part = u8_at(bytes, at)?;
            at += 1;
            total = total.saturating_add(u64::from(part));
            if part < 255 {
                break;
            }
        }
    }
    Some((at, total))
}

/// Does the same for EBML lacing, where all lengths but the first are differences. Players expect a first length even
/// if there is only one frame, so such a block has no valid lengths.
fn ebml_lengths(bytes: &[u8], count: usize) -> Option<(usize, u64)> {
    if count == 0 {
        return None;
    }
    let (first, mut at) = track_number(bytes)?;
    let (mut length, mut total) = (first, first);
    for _ in 1..count {
        let (difference, width) = signed_number(tail(bytes, at))?;
        at += width;
        length = length.checked_add_signed(difference)?;
        total = total.saturating_add(length);
    }
    Some((at, total))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a block of track 1 with this lacing, and as many bytes of frames.
    fn block(lacing: u8, lengths: &[u8], frames: usize) -> Vec<u8> {
        [&[0x81, 0, 0, lacing], lengths, &vec![7; frames]].concat()
    }

    fn is_valid_block(lacing: u8, lengths: &[u8], frames: usize) -> bool {
        let block = block(lacing, lengths, frames);
        assert!(is_laced(&block));
        is_valid(&block, wide(block.len()))
    }

    #[test]
    fn a_block_of_one_frame_is_not_laced() {
        assert!(!is_laced(&block(0x80, &[], 10)) && !is_laced(&[]));
    }

    #[test]
    fn frames_of_one_length_fill_the_block() {
        assert!(is_valid_block(0x04, &[2], 9) && !is_valid_block(0x04, &[2], 10));
    }

    #[test]
    fn xiph_lengths_must_fit() {
        assert!(is_valid_block(0x02, &[2, 255, 1, 4], 260) && is_valid_block(0x02, &[2, 255, 1, 4], 300));
        assert!(!is_valid_block(0x02, &[2, 255, 1, 4], 259));
        assert!(!is_valid_block(0x02, &[200], 4), "lengths are missing");
    }

    #[test]
    fn ebml_lengths_are_differences_and_must_fit() {
        // 8 bytes, then 3 more, then 3 fewer.
        let lengths = [3, 0x88, 0xBF + 3, 0xBF - 3];
        assert!(is_valid_block(0x06, &lengths, 27) && !is_valid_block(0x06, &lengths, 26));
        assert!(!is_valid_block(0x06, &[2, 0x82, 0xBF - 5], 90), "a negative length");
        assert!(!is_valid_block(0x06, &[0], 5), "one frame");
    }
}
