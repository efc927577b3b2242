//! Program tables, byte by byte.

use super::*;

/// Returns a section: its id, the fixed fields before `at`, the entries and a checksum.
fn section(id: u8, at: usize, fields: &[u8], entries: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; at];
    bytes[0] = id;
    bytes[at - fields.len()..].copy_from_slice(fields);
    bytes.extend_from_slice(entries);
    let length = u16::try_from(bytes.len() + 1).expect("a short section");
    bytes[1..3].copy_from_slice(&(0xB000 | length).to_be_bytes());
    bytes[5] = 0xC1;
    signed(bytes)
}

fn signed(mut section: Vec<u8>) -> Vec<u8> {
    section.extend(checksum(&section).to_be_bytes());
    section
}

/// Returns a program table whose own descriptors are `described`.
fn program(described: &[u8], entries: &[u8]) -> Vec<u8> {
    let length = u16::try_from(described.len()).expect("few descriptors");
    section(2, 12, &(0xF000 | length).to_be_bytes(), &[described, entries].concat())
}

/// Returns an entry of a program table.
fn stream(code: u8, pid: u16, descriptors: &[u8]) -> Vec<u8> {
    let length = u16::try_from(descriptors.len()).expect("few descriptors");
    [&[code][..], &(0xE000 | pid).to_be_bytes(), &(0xF000 | length).to_be_bytes(), descriptors].concat()
}

fn only_stream(code: u8, descriptors: &[u8]) -> (TrackKind, &'static str) {
    let streams = streams(&program(&[], &stream(code, 256, descriptors)));
    let [stream] = streams.as_slice() else { panic!("one stream: {streams:?}") };
    (stream.kind, stream.codec.name())
}

#[test]
fn a_number_of_discs_means_something_else_elsewhere() {
    let kind = |described: &[u8]| streams(&program(described, &stream(0x80, 256, &[])))[0].kind;
    assert_eq!(kind(&[5, 4, b'H', b'D', b'M', b'V']), TrackKind::Audio);
    assert_eq!(kind(&[9, 1, 7, 5, 5, b'H', b'D', b'M', b'V', 0xFF]), TrackKind::Audio, "behind another descriptor");
    for described in [&[][..], &[5, 4, b'G', b'A', b'9', b'4'], &[6, 4, b'H', b'D', b'M', b'V']] {
        assert_eq!(kind(described), TrackKind::Other, "{described:?}");
    }
}

#[test]
fn each_stream_type_has_its_kind_and_ffprobes_codec_name() {
    for (kind, name, codes) in [
        (TrackKind::Video, "mpeg1video", &[0x01][..]),
        (TrackKind::Video, "mpeg2video", &[0x02]),
        (TrackKind::Video, "mpeg4", &[0x10]),
        (TrackKind::Video, "h264", &[0x1B, 0x20, 0xDB]),
        (TrackKind::Video, "hevc", &[0x24, 0x25]),
        (TrackKind::Video, "vvc", &[0x33]),
        (TrackKind::Video, "dirac", &[0xD1]),
        (TrackKind::Video, "vc1", &[0xEA]),
        (TrackKind::Video, "unknown", &[0x21, 0x32, 0x42, 0xD2, 0xD4]),
        (TrackKind::Audio, "mp3", &[0x03, 0x04]),
        (TrackKind::Audio, "aac", &[0x0F, 0x11, 0x1C, 0xCF]),
        (TrackKind::Audio, "ac3", &[0x81, 0xC1]),
        (TrackKind::Audio, "truehd", &[0x83]),
        (TrackKind::Audio, "dts", &[0x2A, 0x82, 0x85, 0x86, 0x8A, 0xA2]),
        (TrackKind::Audio, "eac3", &[0x84, 0x87, 0xA1, 0xC2]),
        (TrackKind::Audio, "unknown", &[0x2D, 0x2E]),
        (TrackKind::Other, "unknown", &[0x05, 0x06, 0x15]),
    ] {
        for code in codes {
            assert_eq!(only_stream(*code, &[]), (kind, name), "{code:#04x}");
        }
    }
}

#[test]
fn a_descriptor_names_the_codec_of_private_data() {
    for (kind, name, descriptor) in [
        (TrackKind::Audio, "ac3", &b"\x6A\x01\x00"[..]),
        (TrackKind::Audio, "ac3", b"\x05\x04AC-3"),
        (TrackKind::Audio, "eac3", b"\x7A\x01\x00"),
        (TrackKind::Audio, "eac3", b"\x05\x04EAC3"),
        (TrackKind::Audio, "dts", b"\x7B\x01\x00"),
        (TrackKind::Audio, "dts", b"\x05\x04DTS2"),
        (TrackKind::Audio, "aac", b"\x7C\x01\x00"),
        (TrackKind::Audio, "opus", b"\x05\x04Opus"),
        (TrackKind::Audio, "unknown", b"\x05\x04BSSD"),
        (TrackKind::Video, "hevc", b"\x05\x04HEVC"),
        (TrackKind::Video, "av1", b"\x05\x04AV01"),
        (TrackKind::Video, "vc1", b"\x05\x04VC-1"),
        (TrackKind::Other, "unknown", b"\x05\x04abcd"),
    ] {
        let after_another = [&b"\x0A\x04eng\0"[..], descriptor].concat();
        assert_eq!(only_stream(0x06, &after_another), (kind, name), "{descriptor:?}");
    }
}

#[test]
fn every_stream_of_a_program_is_listed_after_the_programs_own_descriptors() {
    let entries = [stream(0x1B, 0x1FFE, b"\x0A\x02xx"), stream(0x0F, 257, b"")].concat();
    let ids: Vec<u16> = streams(&program(b"\x05\x04HDMV", &entries)).iter().map(|stream| stream.pid).collect();
    assert_eq!(ids, [0x1FFE, 257]);
    let mut other_table = program(&[], &entries);
    other_table[0] = 3;
    assert!(streams(&other_table).is_empty());
}

#[test]
fn the_association_table_lists_programs_without_the_network_table() {
    let entries = [0, 0, 0xE0, 0x10, 0, 1, 0xF0, 0x00, 0, 2, 0xE1, 0x23];
    assert_eq!(program_tables(&section(0, 8, &[], &entries)).collect::<Vec<_>>(), [0x1000, 0x123]);
    assert_eq!(program_tables(&section(1, 8, &[], &entries)).count(), 0);
}

#[test]
fn sections_are_collected_from_several_packets() {
    let [first, second] = [200, 900].map(|length| program(&[], &stream(0x1B, 256, &vec![0; length])));
    for pointer in [0, 5] {
        let mut sections = Sections::default();
        assert!(sections.absorb(false, &first).is_empty(), "nothing has begun");
        let start = [&[pointer][..], &vec![0xFF; pointer.into()], &first[..100]].concat();
        assert!(sections.absorb(true, &start).is_empty());
        assert_eq!(sections.absorb(false, &[&first[100..], &[0xFF; 20]].concat()), [&first[..]], "pointer {pointer}");
        assert!(sections.absorb(false, &first).is_empty(), "only filling follows");
        let both = [&[0], &first[..], &second[..300]].concat();
        assert_eq!(sections.absorb(true, &both), [&first[..]], "one behind the other");
        assert_eq!(sections.absorb(false, &second[300..]), [&second[..]]);
        assert!(sections.absorb(false, &second).is_empty(), "another one did not begin");
        sections.absorb(true, &[&[0], &first[..100]].concat());
        let rest = u8::try_from(first.len() - 100).expect("a short rest");
        let end = [&[rest], &first[100..], &second[..]].concat();
        assert_eq!(sections.absorb(true, &end), [&first[..], &second[..]], "the end of one before the next");
    }
}

#[test]
fn only_intact_sections_that_are_valid_now_count() {
    let read = |section: &[u8]| Sections::default().absorb(true, &[&[0], section].concat()).len();
    let whole = program(&[], &stream(0x1B, 256, &[]));
    let mut damaged = whole.clone();
    damaged[12] ^= 1;
    let mut next = whole[..whole.len() - 4].to_vec();
    next[5] = 0xC0;
    assert_eq!([read(&whole), read(&damaged), read(&signed(next))], [1, 0, 0]);
}

#[test]
fn a_section_never_grows_beyond_its_longest_length() {
    let mut sections = Sections::default();
    assert!(sections.absorb(true, &[0, 2, 0xBF, 0xFF]).is_empty());
    for _ in 0..100 {
        assert!(sections.absorb(false, &[0; 184]).is_empty());
    }
    assert!(sections.bytes.len() <= 4_098, "{}", sections.bytes.len());
}

#[test]
fn a_table_says_which_streams_are_subtitles_or_data() {
    let is_data = |code, descriptors: &[u8]| {
        let streams = streams(&program(&[], &stream(code, 256, &[&b"\x0A\x04eng\0"[..], descriptors].concat())));
        streams.iter().all(|stream| stream.is_data)
    };
    for descriptor in [&b"\x56\x00"[..], b"\x59\x00", b"\x45\x00", b"\xFD\x00", b"\x05\x04KLVA", b"\x05\x04ID3 "] {
        assert!(is_data(0x06, descriptor), "{descriptor:?}");
    }
    for code in [0x05, 0x0D, 0x15, 0x90, 0x92] {
        assert!(is_data(code, &[]), "{code:#04x}");
    }
    for (code, descriptor) in [(0x06, &b""[..]), (0x06, b"\x05\x04abcd"), (0x99, b"\x59\x00")] {
        assert!(!is_data(code, descriptor), "{code:#04x} {descriptor:?}");
    }
}
