//! Tests of the ASF reader: header objects, and the packets of the data object.

use super::*;
use crate::driver::tests::step_text;

/// Returns a walk that has read the properties of a file of a second and of its picture.
fn described(flags: u8, packet_size: u8) -> Asf {
    let mut asf = Asf::default();
    let mut file = vec![0; 104];
    (file[88], file[92], file[96]) = (flags, packet_size, packet_size);
    file[64..72].copy_from_slice(&10_000_000_u64.to_le_bytes());
    asf.file.read(&file).expect("file properties");
    let mut stream = vec![0; 160];
    stream[24..40].copy_from_slice(b"\xC0\xEF\x19\xBC\x4D\x5B\xCF\x11\xA8\xFD\x00\x80\x5F\x5C\x44\x2B");
    asf.streams.add(&stream).expect("a stream");
    asf
}

/// Enters a data object of 1,000 bytes at position 100. Returns how many bytes are skipped, and where its packets
/// end.
fn data(flags: u8, packet_size: u8) -> (u64, Option<u64>) {
    let mut asf = described(flags, packet_size);
    let step = asf.enter_data(100, 1_000).expect("a video");
    let skipped = if let WalkStep::Skip(count) = step { count } else { u64::MAX };
    (skipped, asf.packets_until)
}

#[test]
fn the_packets_of_the_data_object_are_read_if_their_size_is_known() {
    assert_eq!(data(2, 200), (DATA_HEADER, Some(1_100)));
    assert_eq!(data(3, 200), (DATA_HEADER, Some(u64::MAX)), "a broadcast has no end");
}

#[test]
fn a_data_object_without_a_packet_size_is_skipped() {
    assert_eq!(data(2, 0), (1_000, None));
    assert_eq!(data(3, 0), (u64::MAX, None), "nothing can follow a broadcast");
}

#[test]
fn small_data_objects_have_no_end() {
    for (size, end) in [(99, u64::MAX), (100, 200)] {
        let mut asf = described(2, 200);
        asf.enter_data(100, size).expect("a video");
        assert_eq!(asf.packets_until, Some(end), "{size} bytes");
    }
}

#[test]
fn the_declared_length_is_a_verdict_once_the_media_begins() {
    for (flags, is_declared) in [(2, true), (3, false)] {
        let mut asf = described(flags, 200);
        assert!(!asf.is_known(), "more streams may follow");
        asf.enter_data(100, 1_000).expect("a video");
        assert_eq!(asf.is_known(), is_declared, "a broadcast declares no length");
        assert_eq!(asf.provisional().map(|media| media.duration_ms), is_declared.then_some(1_000));
    }
}

#[test]
fn stream_properties_follow_inside_of_extended_ones() {
    let mut body = vec![0; 200];
    // One name of three bytes, and an extension with four bytes of data.
    (body[84], body[86]) = (1, 1);
    body[90] = 3;
    (body[95], body[113]) = (0x54, 4);
    assert!(matches!(step_into(&body), Ok(WalkStep::Skip(121))));
    body[95] = 0x2A;
    assert!(matches!(step_into(&body), Err(FileRefusal::Ambiguous { .. })), "a second time");
    assert!(matches!(step_into(&body[..120]), Err(FileRefusal::Malformed { .. })));
}

const IGNORED: &[u8] = &[7; 16];

fn step(asf: &mut Asf, at: u64, window: &[u8]) -> Result<String, &'static str> {
    step_text(asf.step(at, window))
}

#[test]
fn an_object_has_at_least_its_own_header_unless_it_follows_the_data() {
    let object = |size: u64| [IGNORED, &size.to_le_bytes()].concat();
    assert_eq!(step(&mut Asf::default(), 0, &object(24)[..23]).as_deref(), Ok("Need(24)"));
    assert_eq!(step(&mut Asf::default(), 0, &object(24)).as_deref(), Ok("Skip(24)"));
    assert_eq!(step(&mut Asf::default(), 0, &object(23)), Err("malformed"));
    let mut after_data = Asf { data_seen: true, ..Asf::default() };
    assert_eq!(step(&mut after_data, 0, &object(23)).as_deref(), Ok("Done"));
    assert_eq!(step(&mut after_data, 0, &object(24)).as_deref(), Ok("Skip(24)"));
}

#[test]
fn packets_fill_the_data_object() {
    let mut asf = Asf { packets_until: Some(300), ..described(2, 100) };
    assert_eq!(step(&mut asf, 200, &[0; 99]).as_deref(), Ok("Need(100)"));
    assert_eq!(step(&mut asf, 201, &[0; 99]), Err("ambiguous"), "a part of a packet");
    assert_eq!(step(&mut asf, 300, &[0; 99]).as_deref(), Ok("Skip(0)"));
    assert_eq!(asf.packets_until, None);
}

#[test]
fn a_file_is_truncated_if_an_object_is_not_whole() {
    let ended = |mut asf: Asf, missing, tail: &[u8]| {
        asf.finish(FileEnd { length: 100, missing, tail }).map(drop).map_err(|refusal| refusal.kind().name())
    };
    let data = |declared_end| Asf { data_seen: true, declared_end, ..described(3, 100) };
    assert_eq!([ended(data(100), 0, &[]), ended(data(100), 0, &[0])], [Err("duration_unknown"); 2], "whole");
    assert_eq!([ended(data(101), 0, &[]), ended(data(100), 1, &[])], [Err("truncated"); 2]);
    assert_eq!(ended(described(3, 100), 0, &[0]), Err("truncated"), "within the header");
}

#[test]
fn the_rest_of_an_open_data_object_is_a_packet_if_it_is_long_enough() {
    let ended = |packets_until, length| {
        let mut asf = Asf { data_seen: true, packets_until, is_corrected: Some(true), ..described(3, 100) };
        let end = FileEnd { length: 100, missing: 0, tail: &vec![0; length] };
        asf.finish(end).map(drop).map_err(|refusal| refusal.kind().name())
    };
    assert_eq!(ended(Some(u64::MAX), packet::SHORTEST), Err("ambiguous"));
    assert_eq!(ended(Some(u64::MAX), packet::SHORTEST - 1), Err("duration_unknown"));
    assert_eq!(ended(None, 50), Err("duration_unknown"));
}

#[test]
fn only_steps_over_bytes_count_as_structures() {
    let counted = |window: &[u8]| {
        let mut asf = Asf::default();
        asf.step(0, window).expect("a step");
        asf.structures
    };
    let object = [IGNORED, &24_u64.to_le_bytes()].concat();
    assert_eq!([counted(&object), counted(&object[..23])], [StructureCount::of(1), StructureCount::of(0)]);
}

#[test]
fn the_header_is_at_the_beginning() {
    let header = b"\x30\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\x00\xAA\x00\x62\xCE\x6C\x64\0\0\0\0\0\0\0";
    let step = |at| step_text(Asf::default().step(at, header));
    assert_eq!((step(0), step(100)), (Ok("Skip(30)".to_owned()), Err("ambiguous")));
}
