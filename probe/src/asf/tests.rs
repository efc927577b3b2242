//! How the data object and its packets are found.

use super::*;

/// Enters a data object of 1,000 bytes at position 100. Returns how many bytes are skipped, and where its packets
/// end.
fn data(flags: u8, packet_size: u8) -> (u64, Option<u64>) {
    let mut asf = Asf::default();
    let mut file = vec![0; 104];
    (file[88], file[92], file[96]) = (flags, packet_size, packet_size);
    asf.file.read(&file).expect("file properties");
    let mut stream = vec![0; 128];
    stream[24..40].copy_from_slice(b"\xC0\xEF\x19\xBC\x4D\x5B\xCF\x11\xA8\xFD\x00\x80\x5F\x5C\x44\x2B");
    asf.streams.add(&stream).expect("a stream");
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
    let mut asf = Asf::default();
    let mut stream = vec![0; 128];
    stream[24..40].copy_from_slice(b"\xC0\xEF\x19\xBC\x4D\x5B\xCF\x11\xA8\xFD\x00\x80\x5F\x5C\x44\x2B");
    asf.streams.add(&stream).expect("a stream");
    let mut file = vec![0; 104];
    (file[92], file[96]) = (200, 200);
    asf.file.read(&file).expect("file properties");
    asf.enter_data(100, 99).expect("a video");
    assert_eq!(asf.packets_until, Some(u64::MAX));
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
