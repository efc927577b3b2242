//! Reads the bits of a parameter set without its emulation prevention bytes.
//!
//! This module must not depend on any codec.

/// Reads bits from the most significant one on. Every read past the end returns `None`.
pub(super) struct Bits {
    bytes: Vec<u8>,
    at: usize,
}

/// Longer than the part of any parameter set before the picture size.
const LONGEST: usize = 256;

impl Bits {
    pub(super) fn new(unit: &[u8]) -> Self {
        let mut zeros = 0;
        let mut bytes = Vec::with_capacity(unit.len().min(LONGEST));
        for byte in unit.iter().take(LONGEST) {
            let is_padding = zeros >= 2 && *byte == 3;
            zeros = if *byte == 0 { zeros + 1 } else { 0 };
            if !is_padding {
                bytes.push(*byte);
            }
        }
        Self { bytes, at: 0 }
    }

    pub(super) fn bit(&mut self) -> Option<u32> {
        let byte = *self.bytes.get(self.at / 8)?;
        let bit = byte >> (7 - self.at % 8) & 1;
        self.at += 1;
        Some(u32::from(bit))
    }

    pub(super) fn number(&mut self, count: u32) -> Option<u32> {
        (0..count).try_fold(0_u32, |value, _| Some(value << 1 | self.bit()?))
    }

    pub(super) fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
    }

    /// Reads an unsigned Exp-Golomb number.
    pub(super) fn golomb(&mut self) -> Option<u32> {
        let mut zeros = 0;
        while self.bit()? == 0 {
            zeros += 1;
        }
        if zeros > 31 {
            return None;
        }
        let rest = self.number(zeros)?;
        Some((1_u32 << zeros).saturating_sub(1).saturating_add(rest))
    }

    /// Reads a signed Exp-Golomb number.
    pub(super) fn signed_golomb(&mut self) -> Option<i64> {
        let code = i64::from(self.golomb()?);
        Some(if code % 2 == 0 { -(code / 2) } else { (code + 1) / 2 })
    }
}
