//! Header objects, byte by byte.

use super::*;
use crate::Codec;

/// Returns an object's body of 128 bytes, with these bytes at these positions.
fn body(fields: &[(usize, &[u8])]) -> Vec<u8> {
    let mut body = vec![0; 128];
    for (at, bytes) in fields {
        body[*at..at + bytes.len()].copy_from_slice(bytes);
    }
    body
}

fn stream(kind: Guid, number: u8, fields: &[(usize, &[u8])]) -> Vec<u8> {
    body(&[&[(24, &kind[..]), (72, &[number])], fields].concat())
}

fn header(objects: &[(ObjectKind, Vec<u8>)]) -> AsfHeader {
    let mut header = AsfHeader::default();
    for (kind, body) in objects {
        header.absorb(*kind, body);
    }
    header
}

/// Returns the file properties of a file that plays 5 s after a preroll of 3 s.
fn file(flags: u32) -> Vec<u8> {
    let (play_time, preroll) = (80_000_000_u64.to_le_bytes(), 3_000_u64.to_le_bytes());
    body(&[(64, &play_time), (80, &preroll), (88, &flags.to_le_bytes()), (96, &3_200_u32.to_le_bytes())])
}

#[test]
fn each_object_is_known_by_its_identifier() {
    assert!(matches!(object_kind(HEADER), ObjectKind::Header));
    assert!(matches!(object_kind(EXTENSION), ObjectKind::Extension));
    assert!(matches!(object_kind(DATA), ObjectKind::Data));
    assert!(matches!(object_kind(FILE), ObjectKind::File));
    assert!(matches!(object_kind(STREAM), ObjectKind::Stream));
    assert!(matches!(object_kind(ENCRYPTION), ObjectKind::Encryption));
    assert!(matches!(object_kind([0; 16]), ObjectKind::Ignored));
}

#[test]
fn the_declared_duration_is_the_play_time_without_the_preroll() {
    let plain = header(&[(ObjectKind::File, file(2))]);
    assert_eq!((plain.declared(), plain.preroll_ms(), plain.packet_size()), (Some(5_000_000_000), 3_000, 3_200));
    let broadcast = header(&[(ObjectKind::File, file(3))]);
    assert_eq!((broadcast.declared(), broadcast.is_broadcast()), (None, true));
    assert_eq!(header(&[(ObjectKind::File, body(&[(80, &[1])]))]).declared(), None);
}

#[test]
fn streams_are_described_with_their_codec_size_and_sound() {
    let picture = stream(VIDEO, 0x81, &[(78, &[64, 0, 0, 0, 36, 0, 0, 0]), (105, b"WMV3")]);
    let sound = stream(AUDIO, 2, &[(78, &[0x61, 0x01, 2, 0]), (82, &44_100_u32.to_le_bytes())]);
    let other = stream([7; 16], 3, &[]);
    let streams = [picture, sound, other].map(|body| (ObjectKind::Stream, body));
    let mut header = header(&streams);
    for at in [0, 40, 80] {
        for number in [1, 2, 3] {
            header.observe(number, TimedFrame { at, order: at, duration: None }, 0);
        }
    }
    let tracks = header.describe(1_000_000_000);
    assert_eq!((tracks[0].codec, tracks[0].width, tracks[0].height), (Codec::Wmv, Some(64), Some(36)));
    assert_eq!((tracks[0].kind, tracks[0].frame_rate), (TrackKind::Video, Some(3.0)));
    assert_eq!((tracks[1].kind, tracks[1].codec, tracks[1].channels), (TrackKind::Audio, Codec::Wma, Some(2)));
    assert_eq!((tracks[1].sample_rate, tracks[1].frame_rate), (Some(44_100), None));
    assert_eq!((tracks[2].kind, tracks[2].codec), (TrackKind::Other, Codec::Unknown));
    let counted: Vec<u64> = header.timelines().map(Timeline::frames).collect();
    assert_eq!(counted, [3, 3, 0]);
}

#[test]
fn encryption_applies_to_every_stream() {
    let object = (ObjectKind::Stream, stream(VIDEO, 1, &[]));
    assert!(!header(std::slice::from_ref(&object)).describe(1)[0].encrypted);
    assert!(header(&[object, (ObjectKind::Encryption, Vec::new())]).describe(1)[0].encrypted);
}

#[test]
fn absent_channels_and_rates_are_unknown() {
    let track = header(&[(ObjectKind::Stream, stream(AUDIO, 1, &[]))]).describe(1).remove(0);
    assert_eq!((track.channels, track.sample_rate), (None, None));
}

#[test]
fn a_file_needs_a_video_stream() {
    let container = Container::Asf;
    let with = |kind| header(&[(ObjectKind::Stream, stream(kind, 1, &[]))]).require_video();
    assert_eq!(with(VIDEO), Ok(()));
    assert_eq!(with(AUDIO), Err(FileRefusal::AudioOnly { container }));
    assert_eq!(with([7; 16]), Err(FileRefusal::NoTracks { container }));
}
