//! Reads the picture size from an HEVC sequence parameter set.
//!
//! This module must not depend on how streams carry the unit.

use super::bits::Bits;

const SEQUENCE_PARAMETERS: u32 = 33;

/// Returns the width and height from a unit that begins with its two-byte header.
pub(super) fn size(unit: &[u8]) -> Option<(u32, u32)> {
    let mut bits = Bits::new(unit);
    bits.skip(1);
    if bits.number(6)? != SEQUENCE_PARAMETERS {
        return None;
    }
    bits.skip(9 + 4);
    let layers = bits.number(3)?;
    bits.skip(1);
    skip_profile(&mut bits, layers)?;
    bits.golomb()?;
    let chroma = bits.golomb()?;
    if chroma == 3 {
        bits.skip(1);
    }
    let size = (bits.golomb()?, bits.golomb()?);
    if bits.bit()? == 0 {
        return Some(size);
    }
    crop(&mut bits, size, chroma)
}

/// Skips the profile, tier and level of the stream and of each layer.
fn skip_profile(bits: &mut Bits, layers: u32) -> Option<()> {
    bits.skip(88 + 8);
    let mut present = Vec::new();
    for _ in 0..layers {
        present.push((bits.bit()?, bits.bit()?));
    }
    if layers > 0 {
        bits.skip(2 * usize::try_from(8 - layers).unwrap_or(0));
    }
    for (profile, level) in present {
        bits.skip(if profile == 1 { 88 } else { 0 });
        bits.skip(if level == 1 { 8 } else { 0 });
    }
    Some(())
}

fn crop(bits: &mut Bits, (width, height): (u32, u32), chroma: u32) -> Option<(u32, u32)> {
    let (across, down) = match chroma {
        1 => (2, 2),
        2 => (2, 1),
        _ => (1, 1),
    };
    let horizontal = bits.golomb()?.checked_add(bits.golomb()?)?.checked_mul(across)?;
    let vertical = bits.golomb()?.checked_add(bits.golomb()?)?.checked_mul(down)?;
    Some((width.checked_sub(horizontal)?, height.checked_sub(vertical)?))
}
