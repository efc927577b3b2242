//! EBML element headers and the values of small elements.

use crate::bytes::{head, tail, u8_at};

/// An element's identifier with its length marker, as the specification writes it.
pub(super) type Id = u32;

#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) id: Id,
    /// The length of the header itself.
    pub(super) length: usize,
    /// The length of the content; `None` where the writer did not know it.
    pub(super) size: Option<u64>,
}

pub(super) enum Parsed {
    Header(Header),
    /// So many bytes would tell more.
    Need(usize),
    /// No element can begin like this.
    Invalid,
}

pub(super) fn parse(window: &[u8]) -> Parsed {
    let Some(id_length) = u8_at(window, 0).map(width) else {
        return Parsed::Need(1);
    };
    if id_length > 4 {
        return Parsed::Invalid;
    }
    let Some(size_length) = u8_at(window, id_length).map(width) else {
        return Parsed::Need(id_length + 1);
    };
    if size_length > 8 {
        return Parsed::Invalid;
    }
    let length = id_length + size_length;
    let Some(bytes) = window.get(..length) else {
        return Parsed::Need(length);
    };
    let id = u32::try_from(unsigned(head(bytes, id_length))).unwrap_or(0);
    Parsed::Header(Header {
        id,
        length,
        size: size(tail(bytes, id_length)),
    })
}

/// How many bytes a variable-length number takes, from its first one; 9 is impossible.
fn width(first: u8) -> usize {
    usize::try_from(first.leading_zeros()).map_or(9, |zeros| zeros + 1)
}

/// A length without its marker; all ones mean that it is not known.
fn size(bytes: &[u8]) -> Option<u64> {
    let bits = u32::try_from(bytes.len()).unwrap_or(8) * 7;
    let mask = (1_u64 << bits.min(63)) - 1;
    let value = unsigned(bytes) & mask;
    (value != mask).then_some(value)
}

/// The number of a block's track, and the length that it took.
pub(super) fn track_number(block: &[u8]) -> Option<(u64, usize)> {
    let length = width(u8_at(block, 0)?);
    let bytes = block.get(..length)?;
    Some((size(bytes)?, length))
}

pub(super) fn unsigned(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .take(8)
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// A floating-point value of four or eight bytes; anything else is no number.
pub(super) fn float(bytes: &[u8]) -> Option<f64> {
    match bytes.len() {
        4 => Some(f64::from(f32::from_be_bytes(bytes.try_into().ok()?))),
        8 => Some(f64::from_be_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}
