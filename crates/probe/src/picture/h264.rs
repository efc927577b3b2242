//! Reads the picture size from an H.264 sequence parameter set.
//!
//! This module must not depend on how streams carry the unit.

use super::bits::Bits;

const SEQUENCE_PARAMETERS: u32 = 7;
const PROFILES: [u8; 16] = [66, 77, 88, 100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135];

/// Returns the width and height from a unit that begins with its one-byte header.
pub(super) fn size(unit: &[u8]) -> Option<(u32, u32)> {
    let [header, profile, constraints, ..] = unit else {
        return None;
    };
    if header & 0x60 == 0 || constraints & 3 != 0 || !PROFILES.contains(profile) {
        return None;
    }
    let mut bits = Bits::new(unit);
    bits.skip(3);
    if bits.number(5)? != SEQUENCE_PARAMETERS {
        return None;
    }
    let profile = bits.number(8)?;
    bits.skip(16);
    bits.golomb()?;
    let chroma = if has_chroma(profile) { read_chroma(&mut bits)? } else { 1 };
    bits.golomb()?;
    skip_order(&mut bits)?;
    bits.golomb()?;
    bits.skip(1);
    let columns = bits.golomb()?.checked_add(1)?.checked_mul(16)?;
    let rows = bits.golomb()?.checked_add(1)?.checked_mul(16)?;
    let fields = 2 - bits.bit()?;
    if fields == 2 {
        bits.skip(1);
    }
    bits.skip(1);
    let size = (columns, rows.checked_mul(fields)?);
    if bits.bit()? == 0 {
        return Some(size);
    }
    crop(&mut bits, size, chroma, fields)
}

fn has_chroma(profile: u32) -> bool {
    matches!(profile, 100 | 110 | 122 | 244 | 44 | 83 | 86 | 118 | 128 | 138 | 139 | 134 | 135)
}

fn read_chroma(bits: &mut Bits) -> Option<u32> {
    let chroma = bits.golomb()?;
    if chroma == 3 {
        bits.skip(1);
    }
    bits.golomb()?;
    bits.golomb()?;
    bits.skip(1);
    if bits.bit()? == 1 {
        let lists = if chroma == 3 { 12 } else { 8 };
        for index in 0..lists {
            if bits.bit()? == 1 {
                skip_scaling_list(bits, if index < 6 { 16 } else { 64 })?;
            }
        }
    }
    Some(chroma)
}

fn skip_scaling_list(bits: &mut Bits, length: u32) -> Option<()> {
    let (mut last, mut next) = (8_i64, 8_i64);
    for _ in 0..length {
        if next != 0 {
            next = (last + bits.signed_golomb()?).rem_euclid(256);
        }
        last = if next == 0 { last } else { next };
    }
    Some(())
}

/// Skips the picture order count, in any of its three types.
fn skip_order(bits: &mut Bits) -> Option<()> {
    match bits.golomb()? {
        0 => {
            bits.golomb()?;
        }
        1 => {
            bits.skip(1);
            bits.golomb()?;
            bits.golomb()?;
            for _ in 0..bits.golomb()?.min(255) {
                bits.golomb()?;
            }
        }
        _ => {}
    }
    Some(())
}

fn crop(bits: &mut Bits, (width, height): (u32, u32), chroma: u32, fields: u32) -> Option<(u32, u32)> {
    let (across, down) = match chroma {
        1 => (2, 2 * fields),
        2 => (2, fields),
        _ => (1, fields),
    };
    let horizontal = bits.golomb()?.checked_add(bits.golomb()?)?.checked_mul(across)?;
    let vertical = bits.golomb()?.checked_add(bits.golomb()?)?.checked_mul(down)?;
    Some((width.checked_sub(horizontal)?, height.checked_sub(vertical)?))
}
