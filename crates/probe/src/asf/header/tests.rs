//! Header objects, byte by byte.

use super::*;

/// Returns an object's body of 128 bytes, with these bytes at these positions.
fn body(fields: &[(usize, &[u8])]) -> Vec<u8> {
    let mut body = vec![0; 128];
    for (at, bytes) in fields {
        body[*at..at + bytes.len()].copy_from_slice(bytes);
    }
    body
}

/// Returns the file properties of a file that plays 5 s after a preroll of 3 s.
fn file(flags: u32) -> Vec<u8> {
    let (play_time, preroll) = (80_000_000_u64.to_le_bytes(), 3_000_u64.to_le_bytes());
    let size = &3_200_u32.to_le_bytes();
    body(&[(64, &play_time), (80, &preroll), (88, &flags.to_le_bytes()), (92, size), (96, size)])
}

#[test]
fn each_object_is_known_by_its_identifier() {
    assert!(matches!(object_kind(HEADER), ObjectKind::Header));
    assert!(matches!(object_kind(EXTENSION), ObjectKind::Extension));
    assert!(matches!(object_kind(DATA), ObjectKind::Data));
    assert!(matches!(object_kind(FILE), ObjectKind::File));
    assert!(matches!(object_kind(STREAM), ObjectKind::Stream));
    assert!(matches!(object_kind(EXTENDED_STREAM), ObjectKind::ExtendedStream));
    assert!(matches!(object_kind(ENCRYPTION), ObjectKind::Encryption));
    assert!(matches!(object_kind([0; 16]), ObjectKind::Ignored));
}

fn properties(body: &[u8]) -> FileProperties {
    let mut properties = FileProperties::default();
    properties.read(body).expect("file properties");
    properties
}

#[test]
fn the_declared_duration_is_the_play_time_without_the_preroll() {
    let plain = properties(&file(2));
    assert_eq!((plain.declared(), plain.preroll_ms(), plain.packet_size()), (Some(5_000_000_000), 3_000, 3_200));
    let broadcast = properties(&file(3));
    assert_eq!((broadcast.declared(), broadcast.is_broadcast()), (None, true));
    assert_eq!(properties(&body(&[(80, &[1])])).declared(), None);
}

#[test]
fn file_properties_come_once_and_have_one_packet_size() {
    assert!(properties(&file(2)).read(&file(2)).is_err());
    assert!(FileProperties::default().read(&body(&[(92, &[1])])).is_err());
}
