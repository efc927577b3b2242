//! How the data object and its packets are found.

use super::*;

/// Returns a walk that has read the properties of a file of a second and of its picture.
fn described(flags: u8, packet_size: u8) -> Asf {
    let mut asf = Asf::default();
    let mut file = vec![0; 104];
    (file[88], file[92], file[96]) = (flags, packet_size, packet_size);
    file[64..72].copy_from_slice(&10_000_000_u64.to_le_bytes());
    asf.file.read(&file).expect("file properties");
    let mut stream = vec![0; 128];
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
