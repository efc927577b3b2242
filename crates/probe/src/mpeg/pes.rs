//! Reads the header of a PES packet: its timestamps, and where its payload begins.
//!
//! This module must not depend on the stream that the packet belongs to.

use crate::bytes::{array, head, u8_at, u16_be};

/// Timestamps of 33 bits. The decoding time is present only if it differs from the presentation time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PesTimestamps {
    pub(super) presentation: u64,
    pub(super) decoding: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct PesHeader {
    pub(super) timestamps: Option<PesTimestamps>,
    /// The start of the payload.
    pub(super) length: usize,
    /// Whether it ends before the presentation time that its flags announce. Players then read what follows, or the
    /// time of the previous packet.
    pub(super) is_short: bool,
}

/// The longest header: nine bytes and up to 255 bytes of optional fields.
pub(super) const LONGEST: usize = 9 + 255;

/// Whether a packet that begins like this has its whole header here.
pub(super) fn is_complete(packet: &[u8]) -> bool {
    match (u8_at(packet, 6), u8_at(packet, 8)) {
        (Some(marker), Some(length)) if marker >> 6 == 2 => packet.len() >= 9 + usize::from(length),
        (_, length) => length.is_some() && packet.len() >= LONGEST_MPEG1,
    }
}

/// Returns the number that says what kind of stream a packet belongs to, if a packet begins here.
pub(super) fn stream_number(packet: &[u8]) -> Option<u8> {
    match array(packet, 0)? {
        [0, 0, 1, number @ 0xBC..=0xFF] => Some(number),
        _ => None,
    }
}

/// Whether these bytes may be the beginning of a packet of a stream. There may be fewer than its first four bytes.
pub(super) fn may_begin(part: &[u8]) -> bool {
    stream_number(part).is_some() || part.len() < 4 && [0, 0, 1].starts_with(head(part, 3))
}

/// The longest header of MPEG-1: padding, buffer sizes and two timestamps.
const LONGEST_MPEG1: usize = 6 + 16 + 2 + 10;

/// Reads a header that begins with a start code. Returns `None` if there is none or it is incomplete.
pub(super) fn read(packet: &[u8]) -> Option<PesHeader> {
    let [0, 0, 1, _] = array::<4>(packet, 0)? else {
        return None;
    };
    match u8_at(packet, 6)? >> 6 {
        2 => read_mpeg2(packet),
        _ => read_mpeg1(packet),
    }
}

/// Returns the timestamps that some players read from a packet of a transport stream although its header is not MPEG-2.
pub(super) fn other_timestamps(packet: &[u8]) -> Option<PesTimestamps> {
    let is_mpeg2 = u8_at(packet, 6)? >> 6 == 2;
    if is_mpeg2 || !has_header(packet) { None } else { read_mpeg2(packet)?.timestamps }
}

/// Whether the header of this packet can have timestamps. Packets of maps, padding, navigation and control messages
/// have no such header.
pub(super) fn has_header(packet: &[u8]) -> bool {
    !matches!(stream_number(packet), None | Some(0xBC | 0xBE | 0xBF | 0xF0..=0xF2 | 0xF8 | 0xFF))
}

fn read_mpeg2(packet: &[u8]) -> Option<PesHeader> {
    let flags = u8_at(packet, 7)? >> 6;
    let length = 9 + usize::from(u8_at(packet, 8)?);
    Some(PesHeader { timestamps: timestamps(packet, 9, flags), length, is_short: flags & 2 != 0 && length < 14 })
}

/// Whether the header that begins here is valid. Players ignore the length of a packet with an invalid header. An
/// MPEG-1 header has timestamps, or the byte 0F instead.
pub(super) fn is_valid(packet: &[u8]) -> bool {
    let is_mpeg2 = u8_at(packet, 6).is_some_and(|marker| marker >> 6 == 2);
    is_mpeg2
        || mpeg1_marker(packet)
            .and_then(|at| u8_at(packet, at))
            .is_some_and(|marker| matches!(marker, 0x0F | 0x20..=0x3F))
}

/// MPEG-1 puts padding and buffer sizes before the timestamps.
fn read_mpeg1(packet: &[u8]) -> Option<PesHeader> {
    let at = mpeg1_marker(packet)?;
    let flags = u8_at(packet, at)? >> 4;
    let length = match flags {
        2 => at + 5,
        3 => at + 10,
        _ => at + 1,
    };
    Some(PesHeader { timestamps: timestamps(packet, at, flags), length, is_short: false })
}

/// Returns the position after the padding and the buffer sizes.
fn mpeg1_marker(packet: &[u8]) -> Option<usize> {
    let at = (6..6 + 17).find(|at| u8_at(packet, *at) != Some(0xFF))?;
    let has_buffer_size = u8_at(packet, at)? >> 6 == 1;
    Some(if has_buffer_size { at + 2 } else { at })
}

fn timestamps(packet: &[u8], at: usize, flags: u8) -> Option<PesTimestamps> {
    if flags & 2 == 0 {
        return None;
    }
    let decoding = if flags == 3 { timestamp(packet, at + 5) } else { None };
    Some(PesTimestamps { presentation: timestamp(packet, at)?, decoding })
}

/// Reads 33 bits from five bytes, with a marker bit after each part.
fn timestamp(packet: &[u8], at: usize) -> Option<u64> {
    let high = u64::from(u8_at(packet, at)? >> 1 & 7);
    let middle = u64::from(u16_be(packet, at + 1)? >> 1);
    let low = u64::from(u16_be(packet, at + 3)? >> 1);
    Some(high << 30 | middle << 15 | low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the five bytes of a timestamp whose first four bits are `prefix`.
    fn encoded(prefix: u64, ticks: u64) -> Vec<u8> {
        let parts = prefix << 36
            | (ticks >> 30) << 33
            | 1 << 32
            | (ticks >> 15 & 0x7FFF) << 17
            | 1 << 16
            | (ticks & 0x7FFF) << 1
            | 1;
        parts.to_be_bytes()[3..].to_vec()
    }

    const TICKS: u64 = 0x1_2345_6789;
    const EARLIER: u64 = 0x0_FEDC_BA98;

    fn header(start: &[u8], rest: &[u8]) -> (Option<PesTimestamps>, usize) {
        let header = read(&[&[0, 0, 1, 0xE0, 0, 0][..], start, rest].concat()).expect("a header");
        (header.timestamps, header.length)
    }

    fn at(presentation: u64, decoding: Option<u64>) -> PesTimestamps {
        PesTimestamps { presentation, decoding }
    }

    #[test]
    fn an_mpeg2_header_has_the_timestamps_that_its_flags_announce() {
        assert_eq!(header(&[0x80, 0x00, 3], &[0xFF; 3]), (None, 12));
        assert_eq!(header(&[0x80, 0x80, 5], &encoded(2, TICKS)), (Some(at(TICKS, None)), 14));
        let both = [encoded(3, TICKS), encoded(1, EARLIER)].concat();
        assert_eq!(header(&[0x80, 0xC0, 12], &both), (Some(at(TICKS, Some(EARLIER))), 21));
    }

    #[test]
    fn a_header_is_short_if_it_ends_before_its_presentation_time() {
        let is_short = |flags: u8, fields: u8| {
            read(&[&[0, 0, 1, 0xE0, 0, 0, 0x80, flags, fields][..], &[0; 20]].concat()).expect("a header").is_short
        };
        assert_eq!([is_short(0x80, 4), is_short(0xC0, 0), is_short(0x80, 5)], [true, true, false]);
        assert_eq!(
            [is_short(0x00, 0), is_short(0xC0, 5)],
            [false, false],
            "without a time, and without a decoding time"
        );
    }

    #[test]
    fn an_mpeg1_header_has_them_after_padding_and_buffer_sizes() {
        for (before, length) in [(&[][..], 0), (&[0xFF; 16], 16), (&[0x60, 0x20], 2), (&[0xFF, 0x41, 0x20], 3)] {
            assert_eq!(header(before, &encoded(2, TICKS)), (Some(at(TICKS, None)), 6 + length + 5), "{before:?}");
            let both = [encoded(3, TICKS), encoded(1, EARLIER)].concat();
            assert_eq!(header(before, &both), (Some(at(TICKS, Some(EARLIER))), 6 + length + 10), "{before:?}");
            assert_eq!(header(before, &[0x0F, 1, 2]), (None, 6 + length + 1), "{before:?}");
        }
    }

    #[test]
    fn bytes_without_a_start_code_and_truncated_headers_are_no_header() {
        assert!(read(&[0, 1, 1, 0xE0, 0, 0, 0x80, 0x80, 5]).is_none());
        assert!(read(&[0, 0, 1, 0xE0, 0, 0]).is_none());
        assert!(read(&[0, 0, 1, 0xE0, 0, 0, 0x80, 0x80]).is_none());
        assert_eq!(header(&[0x80, 0x80, 5], &encoded(2, TICKS)[..4]).0, None);
    }

    #[test]
    fn a_header_is_complete_with_its_optional_fields_or_with_as_many_bytes_as_mpeg1_needs() {
        let begins = |marker, fields, length| {
            let start = [0, 0, 1, 0xE0, 0, 0, marker, 0, fields];
            is_complete(&[&start[..], &[0; 300]].concat()[..length])
        };
        assert!(begins(0x80, 3, 12) && !begins(0x80, 3, 11) && !begins(0x80, 3, 8));
        assert!(begins(0x80, 200, 209) && !begins(0x80, 200, 208));
        assert!(begins(0x0F, 3, 34) && !begins(0x0F, 3, 33) && begins(0x0F, 200, 34));
    }

    #[test]
    fn there_are_at_most_16_bytes_of_padding() {
        assert!(read(&[&[0, 0, 1, 0xE0, 0, 0][..], &[0xFF; 17], &[0x0F]].concat()).is_none());
    }
}
