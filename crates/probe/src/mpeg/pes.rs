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
        [0, 0, 1, number] => Some(number),
        _ => None,
    }
}

/// Whether these bytes may be the beginning of a packet of a stream. There may be fewer than its first four bytes.
pub(super) fn may_begin(part: &[u8]) -> bool {
    stream_number(part).is_some() || part.len() < 4 && [0, 0, 1].starts_with(head(part, 3))
}

const LONGEST_PADDING: usize = 16;
/// The length of a start code. Behind it players search for the next packet if a header does not fit into its packet.
const SEARCH: usize = 4;
/// The longest header of MPEG-1: padding, buffer sizes and two timestamps.
const LONGEST_MPEG1: usize = 6 + LONGEST_PADDING + 2 + 10;

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

/// Whether the packet of this header declares that it ends with the header. A length of zero declares nothing.
pub(super) fn is_empty(packet: &[u8], header: &PesHeader) -> bool {
    u16_be(packet, 4).is_some_and(|length| length > 0 && 6 + usize::from(length) <= header.length)
}

fn read_mpeg2(packet: &[u8]) -> Option<PesHeader> {
    let flags = u8_at(packet, 7)? >> 6;
    let length = 9 + usize::from(u8_at(packet, 8)?);
    Some(PesHeader { timestamps: timestamps(packet, 9, flags), length, is_short: flags & 2 != 0 && length < 14 })
}

/// A header that names no stream, and one that does not fit into its packet.
const PLAIN: HeaderForm = HeaderForm::Valid { extension: None };
const NONE: HeaderForm = HeaderForm::Invalid { after: SEARCH };

/// The form of a packet's header, as players of program streams read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeaderForm {
    /// It fits into the packet. Its extension may name the stream.
    Valid { extension: Option<u8> },
    /// It is none. Players search for the next packet after this many bytes, whatever the packet's length.
    Invalid { after: usize },
    /// Players disagree on where it ends.
    Disputed,
}

/// Returns the form of the header at the beginning of `packet`, which may be cut. `length` is that of the whole packet.
pub(super) fn header_form(packet: &[u8], length: usize) -> HeaderForm {
    let fits = |header: Option<PesHeader>| header.is_some_and(|header| header.length <= length);
    let Some(at) = (6..packet.len()).find(|at| u8_at(packet, *at) != Some(0xFF)) else {
        return if packet.len() < length { HeaderForm::Disputed } else { NONE };
    };
    if at > 6 + LONGEST_PADDING {
        return HeaderForm::Disputed;
    }
    let marker = if u8_at(packet, at).is_some_and(|byte| byte >> 6 == 1) { at + 2 } else { at };
    match u8_at(packet, marker) {
        // A packet whose header ends before its time is refused with its stream.
        Some(0x80..=0xBF) if marker == 6 && read_mpeg2(packet).is_some_and(|header| header.is_short) => PLAIN,
        Some(0x80..=0xBF) if marker == 6 && fits(read_mpeg2(packet)) => extended_form(packet).unwrap_or(NONE),
        // Some players expect fields of MPEG-2 behind the padding of MPEG-1 too.
        Some(0x80..=0xBF) if marker != 6 => HeaderForm::Disputed,
        Some(0x0F | 0x20..=0x3F) if fits(read_mpeg1(packet)) => PLAIN,
        None | Some(0x0F | 0x20..=0x3F | 0x80..=0xBF) => NONE,
        Some(_) => HeaderForm::Invalid { after: marker + 1 },
    }
}

/// Reads the extension of an MPEG-2 header, which players expect right behind the timestamps. Returns `None` if the
/// header is too short for it.
fn extended_form(packet: &[u8]) -> Option<HeaderForm> {
    let flags = u8_at(packet, 7)?;
    let times = match flags >> 6 {
        2 => 5,
        3 => 10,
        _ => 0,
    };
    let left = usize::from(u8_at(packet, 8)?).checked_sub(times)?;
    if flags & 1 == 0 || left == 0 {
        return Some(PLAIN);
    }
    let at = 9 + times;
    let parts = u8_at(packet, at)?;
    let skipped = usize::from(parts >> 7) * 16 + usize::from(parts >> 5 & 1) * 2 + usize::from(parts >> 4 & 1) * 2;
    let is_broken = parts & 0x40 != 0 || skipped > left - 1;
    if is_broken || parts & 1 == 0 {
        return Some(PLAIN);
    }
    let at = at + 1 + skipped;
    let left = (left - 1 - skipped).checked_sub(1)?;
    if matches!(u8_at(packet, at)?, 0x00 | 0x80) {
        return Some(PLAIN);
    }
    left.checked_sub(1)?;
    Some(HeaderForm::Valid { extension: u8_at(packet, at + 1).filter(|name| name & 0x80 == 0) })
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
    let at = (6..=6 + LONGEST_PADDING).find(|at| u8_at(packet, *at) != Some(0xFF))?;
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
    fn players_of_program_streams_agree_on_most_headers() {
        let form =
            |start: &[u8], length| header_form(&[&[0, 0, 1, 0xE0, 0, 0][..], start, &[0xFF; 40]].concat(), length);
        let valid = |name| HeaderForm::Valid { extension: name };
        let (padded, mixed) = ([0xFF; 16], [&[0xFF][..], &[0x80, 0, 0]].concat());
        let (padded, too_long) = ([&padded[..], &[0x0F]].concat(), [&padded[..], &[0xFF, 0x0F]].concat());
        let invalid = |after| HeaderForm::Invalid { after };
        for (start, length, expected) in [
            (&[0x80, 0, 3][..], 12, valid(None)),
            (&[0x80, 0, 3], 11, invalid(4)),
            (&[0x0F], 7, valid(None)),
            (&[0x21], 11, valid(None)),
            (&[0x21], 10, invalid(4)),
            (&padded, 40, valid(None)),
            (&too_long, 40, HeaderForm::Disputed),
            (&mixed, 40, HeaderForm::Disputed),
            (&[0x40, 0, 0x80], 40, HeaderForm::Disputed),
            (&[0x00], 40, invalid(7)),
            (&[0xFF, 0x40, 0, 0x10], 40, invalid(10)),
            (&[0xFF], 40, invalid(4)),
            (&[0xFF], 100, HeaderForm::Disputed),
        ] {
            assert_eq!(form(start, length), expected, "{start:?} {length}");
        }
        assert_eq!(header_form(&[0, 0, 1, 0xE0, 0, 1, 0xFF], 7), invalid(4));
        assert_eq!(header_form(&[0, 0, 1, 0xE0, 0, 1, 0x40], 7), invalid(4));
    }

    #[test]
    fn an_extension_names_a_stream_behind_its_other_parts() {
        let named = |flags, fields: &[u8]| {
            let length = u8::try_from(fields.len()).expect("few fields");
            let packet = [&[0, 0, 1, 0xFD, 0, 0, 0x80, flags, length][..], fields, &[0x77; 20]].concat();
            match header_form(&packet, 300) {
                HeaderForm::Valid { extension } => Ok(extension),
                other => Err(other),
            }
        };
        assert_eq!(named(0x01, &[0x01, 0x81, 0x55]), Ok(Some(0x55)));
        assert_eq!(named(0x81, &[&[0; 5][..], &[0x01, 0x81, 0x55]].concat()), Ok(Some(0x55)), "behind a time");
        assert_eq!(named(0xC1, &[&[0; 10][..], &[0x01, 0x81, 0x55]].concat()), Ok(Some(0x55)), "behind two times");
        assert_eq!(named(0x01, &[&[0xB1][..], &[0; 20], &[0x81, 0x55]].concat()), Ok(Some(0x55)), "behind all parts");
        assert_eq!(named(0x01, &[0x01, 0x81, 0xD5]), Ok(None), "not a name");
        assert_eq!(named(0x01, &[0x01, 0x80, 0x55]), Ok(None), "nothing in it");
        assert_eq!(named(0x01, &[0x10, 0, 0, 0x81, 0x55]), Ok(None), "no second part");
        assert_eq!(named(0x01, &[0x41, 0x81, 0x55]), Ok(None), "an invalid part");
        assert_eq!(named(0x01, &[0x81, 0x81, 0x55]), Ok(None), "a part that does not fit");
        assert_eq!(named(0x01, &[]), Ok(None), "no extension");
        for short in [&[0x01][..], &[0x01, 0x81]] {
            assert_eq!(named(0x01, short), Err(HeaderForm::Invalid { after: 4 }));
        }
    }

    #[test]
    fn a_packet_is_empty_if_it_ends_with_its_header() {
        let ends = |length: u8| {
            let packet = [&[0, 0, 1, 0xE0, 0, length, 0x80, 0x80, 5][..], &encoded(2, TICKS)].concat();
            is_empty(&packet, &read(&packet).expect("a header"))
        };
        assert_eq!([ends(0), ends(7), ends(8), ends(9)], [false, true, true, false]);
    }

    #[test]
    fn there_are_at_most_16_bytes_of_padding() {
        assert!(read(&[&[0, 0, 1, 0xE0, 0, 0][..], &[0xFF; 17], &[0x0F]].concat()).is_none());
    }
}
