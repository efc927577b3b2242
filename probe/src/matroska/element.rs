//! Reads EBML element headers and the values of small elements.
//!
//! This module must not depend on what any element means.

use crate::bytes::{head, tail, u8_at};

/// An element's identifier including its length marker, as the specification writes it.
pub(super) type ElementId = u32;

#[derive(Debug, Clone, Copy)]
pub(super) struct ElementHeader {
    pub(super) id: ElementId,
    /// The length of the header itself.
    pub(super) length: usize,
    /// The length of the content; `None` if the writer did not know it.
    pub(super) size: Option<u64>,
}

pub(super) enum HeaderParse {
    Header(ElementHeader),
    /// At least this many bytes are needed.
    Need(usize),
    /// No element begins like this.
    Invalid,
}

pub(super) fn parse(window: &[u8]) -> HeaderParse {
    let Some(id_length) = u8_at(window, 0).map(width) else {
        return HeaderParse::Need(1);
    };
    if id_length > 4 {
        return HeaderParse::Invalid;
    }
    let Some(size_length) = u8_at(window, id_length).map(width) else {
        return HeaderParse::Need(id_length + 1);
    };
    if size_length > 8 {
        return HeaderParse::Invalid;
    }
    let length = id_length + size_length;
    let Some(bytes) = window.get(..length) else {
        return HeaderParse::Need(length);
    };
    let id = u32::try_from(unsigned(head(bytes, id_length))).unwrap_or(0);
    HeaderParse::Header(ElementHeader { id, length, size: size(tail(bytes, id_length)) })
}

/// Returns the length of a variable-length number, from its first byte. More than 8 is invalid.
fn width(first: u8) -> usize {
    usize::try_from(first.leading_zeros()).map_or(9, |zeros| zeros + 1)
}

/// Decodes a length without its marker. All ones mean "unknown".
fn size(bytes: &[u8]) -> Option<u64> {
    let bits = u32::try_from(bytes.len()).unwrap_or(8) * 7;
    let mask = (1_u64 << bits.min(63)) - 1;
    let value = unsigned(bytes) & mask;
    (value != mask).then_some(value)
}

/// Returns the track number of a block, and how many bytes it occupies.
pub(super) fn track_number(block: &[u8]) -> Option<(u64, usize)> {
    let length = width(u8_at(block, 0)?);
    let bytes = block.get(..length)?;
    Some((size(bytes)?, length))
}

/// Returns a signed number in the same encoding, and its length in bytes.
pub(super) fn signed_number(bytes: &[u8]) -> Option<(i64, usize)> {
    let (number, length) = track_number(bytes)?;
    let bias = (1_i64 << (7 * length - 1)) - 1;
    Some((i64::try_from(number).ok()?.checked_sub(bias)?, length))
}

pub(super) fn unsigned(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Decodes a floating-point value of four or eight bytes.
pub(super) fn float(bytes: &[u8]) -> Option<f64> {
    match bytes.len() {
        4 => Some(f64::from(f32::from_be_bytes(bytes.try_into().ok()?))),
        8 => Some(f64::from_be_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}
