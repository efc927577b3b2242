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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a number of this length with its marker, in front of its bits.
    fn marked(value: u64, length: usize) -> Vec<u8> {
        (value | 1 << (7 * length)).to_be_bytes()[8 - length..].to_vec()
    }

    #[test]
    fn a_header_is_an_identifier_of_up_to_four_bytes_and_a_size_of_up_to_eight() {
        for (id_length, size_length) in (1..=4).flat_map(|id| (1..=8).map(move |size| (id, size))) {
            let (id, size) = (marked(5, id_length), marked(9, size_length));
            let header = [&id[..], &size].concat();
            let HeaderParse::Header(found) = parse(&[&header[..], &[7]].concat()) else { panic!("no header") };
            assert_eq!((u64::from(found.id), found.length, found.size), (unsigned(&id), header.len(), Some(9)));
            for available in 0..header.len() {
                let expected = match available {
                    0 => 1,
                    _ if available <= id_length => id_length + 1,
                    _ => header.len(),
                };
                let parsed = parse(&header[..available]);
                assert!(matches!(parsed, HeaderParse::Need(count) if count == expected), "{available} of {header:?}");
            }
        }
    }

    #[test]
    fn longer_identifiers_and_sizes_are_invalid() {
        assert!(matches!(parse(&[0x08, 0, 0, 0, 0, 0x81]), HeaderParse::Invalid));
        assert!(matches!(parse(&[0x81, 0]), HeaderParse::Invalid));
    }

    #[test]
    fn a_size_of_ones_is_unknown() {
        for length in 1..=8 {
            let largest = (1 << (7 * length)) - 1;
            assert_eq!([size(&marked(largest, length)), size(&marked(largest - 1, length))], [None, Some(largest - 1)]);
        }
    }

    #[test]
    fn a_signed_number_has_the_middle_of_its_range_as_zero() {
        for length in 1..=8 {
            let middle = (1 << (7 * length - 1)) - 1;
            for (value, signed) in [(0, -middle), (middle - 1, -1), (middle, 0), (middle + 1, 1)] {
                let bytes = marked(u64::try_from(value).unwrap(), length);
                assert_eq!(signed_number(&bytes), Some((signed, length)), "{value} in {length} bytes");
            }
        }
        assert_eq!(signed_number(&[0x40]), None);
    }

    #[test]
    fn values_are_big_endian() {
        assert_eq!(unsigned(&[1, 2, 3]), 0x01_0203);
        assert_eq!(unsigned(&[1, 2, 3, 4, 5, 6, 7, 8, 9]), 0x0102_0304_0506_0708, "at most eight bytes");
        assert_eq!(
            [float(&1.5_f32.to_be_bytes()), float(&2.5_f64.to_be_bytes()), float(&[0; 5])],
            [Some(1.5), Some(2.5), None]
        );
    }
}
