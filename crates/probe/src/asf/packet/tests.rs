//! Packets, byte by byte.

use super::*;

/// The payloads of a packet. Each has its stream number, and the time of the frame that begins in it.
type Seen = Vec<(u8, Option<u32>)>;

fn read_whole(parts: &[&[u8]]) -> (Seen, bool) {
    let packet = parts.concat();
    read_part(&packet, packet.len())
}

fn read_part(packet: &[u8], size: usize) -> (Seen, bool) {
    let mut seen = Vec::new();
    let is_whole = read(packet, size, |stream, payload| {
        seen.push(match payload {
            Payload::Start { time, .. } | Payload::Several { time, .. } => (stream, Some(time)),
            Payload::Continuation { .. } => (stream, None),
        });
        Ok(())
    });
    (seen, is_whole.expect("no payload is refused"))
}

/// The send time and the duration of a packet.
const TIMES: &[u8] = &[9; 6];
/// The widths of an object's number (one byte), its offset (four bytes) and its replicated data (one byte).
const WIDTHS: u8 = 0b0001_1101;

/// Returns a payload's header, with replicated data of eight bytes that end with the time.
fn payload(stream: u8, offset: u32, time: u32) -> Vec<u8> {
    let replicated = [8, 5, 0, 0, 0];
    [&[stream, 1][..], &offset.to_le_bytes(), &replicated, &time.to_le_bytes()].concat()
}

fn one(stream: u8, time: u32) -> (Seen, bool) {
    (vec![(stream, Some(time))], true)
}

#[test]
fn a_single_payload_takes_the_rest_of_the_packet() {
    let payload = payload(0x82, 0, 70_000);
    assert_eq!(read_whole(&[&[0x00, WIDTHS], TIMES, &payload]), one(2, 70_000));
    assert_eq!(read_whole(&[&[0x82, 0, 0, 0x00, WIDTHS], TIMES, &payload]), one(2, 70_000), "error correction");
    let packet = [&[0x08, WIDTHS, 2], TIMES, &payload, &[0xEE; 7]].concat();
    let mut length = 0;
    let on_payload = |_, payload: Payload<'_>| {
        let Payload::Start { length: count, size: 5, .. } = payload else { panic!("{payload:?}") };
        length = count;
        Ok(())
    };
    assert_eq!(read(&packet, packet.len(), on_payload), Ok(true));
    assert_eq!(length, 5, "without the padding");
}

#[test]
fn packets_begin_with_error_correction_or_without() {
    assert_eq!(is_corrected(&[0x82, 0, 0, 1]), Some(true));
    assert_eq!(is_corrected(&[0x11, 0, 0, 1]), Some(false));
    assert_eq!(is_corrected(&[0x82, 0, 1, 1]), None);
    assert_eq!(is_corrected(&[0x90, 8, 0, 0x33]), None);
}

#[test]
fn the_lengths_before_the_payload_have_the_widths_that_the_flags_announce() {
    let payload = payload(1, 0, 5);
    for (flags, length) in [(0x02, 1), (0x04, 2), (0x06, 4), (0x08, 1), (0x18, 4)] {
        assert_eq!(read_whole(&[&[flags, WIDTHS], &vec![0; length], TIMES, &payload]), one(1, 5), "{flags:#04x}");
    }
}

#[test]
fn a_packet_of_its_own_length_is_padded() {
    let payload = payload(1, 0, 5);
    let size = 2 + 1 + 6 + payload.len();
    for (own, is_whole) in [(size, true), (size - 1, false), (size + 1, false)] {
        let own = u8::try_from(own).unwrap();
        assert_eq!(read_whole(&[&[0x20, WIDTHS, own], TIMES, &payload]).1, is_whole, "{own} of {size}");
    }
    let own = u8::try_from(size).unwrap();
    assert_eq!(read_whole(&[&[0x20, WIDTHS, own], TIMES, &payload, &[0; 9]]), one(1, 5));
}

#[test]
fn several_payloads_have_a_length_each() {
    let (first, second) = (payload(1, 0, 10), payload(2, 0, 20));
    for (width, lengths) in
        [(0x40, [&[3][..], &[2][..]]), (0x80, [&[3, 0], &[2, 0]]), (0xC0, [&[3, 0, 0, 0], &[2, 0, 0, 0]])]
    {
        let payloads = [&first, lengths[0], &[0xEE; 3], &second, lengths[1], &[0xEE; 2]].concat();
        let seen = read_whole(&[&[0x01, WIDTHS], TIMES, &[width | 2], &payloads]);
        assert_eq!(seen, (vec![(1, Some(10)), (2, Some(20))], true), "{width:#04x}");
    }
}

#[test]
fn a_payload_that_continues_a_frame_has_no_time() {
    let continued = (vec![(1, None)], true);
    assert_eq!(read_whole(&[&[0x00, WIDTHS], TIMES, &payload(1, 1_000, 5)]), continued);
    assert_eq!(read_whole(&[&[0x00, WIDTHS], TIMES, &[1, 1, 7, 0, 0, 0, 0]]), continued, "without replicated data");
}

#[test]
fn a_payload_that_players_read_differently_is_not_read() {
    for (offset, replicated) in [(0, 0), (0, 7), (9, 7), (0, 1)] {
        let start = [&[1, 1, offset, 0, 0, 0, replicated][..], &[1; 8]].concat();
        assert_eq!(read_whole(&[&[0x00, WIDTHS], TIMES, &start]), (vec![], false), "{offset}, {replicated}");
    }
}

#[test]
fn a_compressed_payload_has_its_time_in_the_offset() {
    let first = [&[1, 1][..], &30_u32.to_le_bytes(), &[1, 0]].concat();
    let payloads = [&first[..], &[2], &[0xEE; 2], &payload(2, 0, 20), &[0]].concat();
    let seen = read_whole(&[&[0x01, WIDTHS], TIMES, &[0x42], &payloads]);
    assert_eq!(seen, (vec![(1, Some(30)), (2, Some(20))], true));
}

#[test]
fn payloads_are_in_front_of_the_padding() {
    let packet = |padding: u8, last: &[u8]| {
        let payloads = [&payload(1, 0, 10)[..], &[3], &[0xEE; 3], last].concat();
        read_whole(&[&[0x09, WIDTHS, padding], TIMES, &[0x42], &payloads, &[0; 9]])
    };
    let second = [&payload(2, 0, 20)[..], &[2], &[0xEE; 2]].concat();
    assert_eq!(packet(9, &second), (vec![(1, Some(10)), (2, Some(20))], true));
    assert_eq!(packet(10, &second), (vec![(1, Some(10))], false), "a part of it is in the padding");
    assert_eq!(packet(9, &[2; 5]), (vec![(1, Some(10))], false), "less than a header is left");
}

#[test]
fn of_a_truncated_payload_only_the_bytes_that_are_there_count() {
    let lengths = |packet: &[u8]| {
        let mut lengths = Vec::new();
        let is_whole = read(packet, 200, |_, payload| {
            lengths.push(payload.bytes());
            Ok(())
        });
        (lengths, is_whole)
    };
    for header in [payload(1, 0, 10), payload(1, 7, 10)] {
        let packet = [&[0x01, WIDTHS], TIMES, &[0x41], &header, &[9, 0xEE, 0xEE]].concat();
        assert_eq!(lengths(&packet), (vec![2], Ok(false)));
    }
}

#[test]
fn a_truncated_packet_yields_the_frames_that_begin_in_it() {
    let payloads = [&payload(1, 0, 10)[..], &[3], &[0xEE; 3], &payload(2, 0, 20), &[9, 0xEE]].concat();
    let packet = [&[0x01, WIDTHS], TIMES, &[0x42], &payloads].concat();
    assert_eq!(read_part(&packet, 200), (vec![(1, Some(10)), (2, Some(20))], false));
    assert_eq!(read_part(&packet[..packet.len() - 3], 200), (vec![(1, Some(10))], false));
    assert_eq!(read_part(&[], 200), (vec![], false));
    let single = [&[0x08, WIDTHS, 2], TIMES, &payload(1, 0, 10)].concat();
    assert_eq!(read_part(&single, 200), (vec![(1, Some(10))], false));
}
