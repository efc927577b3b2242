//! Tests of pictures and sound without timestamps, and of the search for parameter sets.

use super::*;

const MILLISECOND: u64 = 1_000_000;

/// Returns a stream with packets at these times, each with this many bytes.
fn stream(kind: TrackKind, packets: &[(u64, u64)]) -> ElementaryStream {
    let mut stream = ElementaryStream::new(1, kind, Codec::Unknown);
    let mut clock = WrappingClock::default();
    for (ticks, bytes) in packets {
        stream.begin(Some(PesTimestamps { presentation: *ticks, decoding: None }), &mut clock);
        stream.pass(*bytes);
    }
    stream
}

/// Whether `all` pictures count as timed, `before` of which come before a last timestamp at `span` ticks.
fn are_timed(before: u64, all: u64, span: u64, frame_duration: Option<u64>) -> bool {
    let mut video = stream(TrackKind::Video, &[(0, 1), (span, 1)]);
    (video.pictures_before, video.pictures.pictures, video.frame_duration) = (before, all, frame_duration);
    video.contradiction().is_none()
}

#[test]
fn pictures_without_a_timestamp_may_last_for_a_second() {
    // One picture belongs to the last timestamp. Each lasts as long as those before it on average: 3,600 ticks.
    assert!(are_timed(10, 36, 36_000, None) && !are_timed(10, 37, 36_000, None));
    // Without pictures before it: 25 per second, or as declared.
    assert!(are_timed(0, 26, 0, None) && !are_timed(0, 27, 0, None));
    assert!(are_timed(0, 51, 0, Some(20 * MILLISECOND)) && !are_timed(0, 52, 0, Some(20 * MILLISECOND)));
}

#[test]
fn pictures_may_not_be_denser_than_fields_or_than_250_per_second() {
    assert!(are_timed(499, 500, 90_000, None) && !are_timed(500, 501, 90_000, None));
    let declared = Some(20 * MILLISECOND);
    assert!(are_timed(199, 200, 90_000, declared) && !are_timed(200, 201, 90_000, declared));
}

#[test]
fn sound_after_the_last_timestamp_may_last_for_a_second() {
    let sound = |packets: &[(u64, u64)]| stream(TrackKind::Audio, packets).contradiction().is_none();
    assert!(sound(&[(0, 65_536)]) && !sound(&[(0, 65_537)]), "one packet");
    // 1,000 bytes last 9,000 ticks.
    assert!(sound(&[(0, 1_000), (9_000, 10_000)]) && !sound(&[(0, 1_000), (9_000, 10_001)]));
}

#[test]
fn sound_has_no_more_bytes_than_its_codec_allows() {
    let of = |codec, bytes, is_guessed| {
        let mut sound = stream(TrackKind::Audio, &[(0, bytes), (90_000, bytes), (180_000, 1_000)]);
        (sound.track.codec, sound.is_guessed) = (codec, is_guessed);
        sound.contradiction().is_none()
    };
    // Three seconds, and the second that is tolerated.
    assert!(of(Codec::Mp3, 110_000, false) && !of(Codec::Mp3, 116_000, false));
    assert!(of(Codec::Unknown, 116_000, false) && of(Codec::Mp3, 116_000, true) && of(Codec::Eac3, 116_000, false));
}

#[test]
fn the_last_packet_of_sound_lasts_as_long_as_its_bytes_but_not_longer_than_an_average_one() {
    for (bytes, lasting) in [(400, 3_600), (1_000, 9_000), (9_000, 9_000)] {
        let mut sound = stream(TrackKind::Audio, &[(0, 1_000), (9_000, bytes)]);
        sound.finish();
        let span = crate::timeline::combined_span([sound.timeline()].into_iter(), 0, |ticks| ticks);
        assert_eq!(span.map(|span| span.length()), Some(9_000 + lasting), "{bytes} bytes");
    }
}

#[test]
fn parameter_sets_are_searched_for_in_a_kilobyte_of_512_packets() {
    let mut video = ElementaryStream::new(1, TrackKind::Video, Codec::H264);
    for _ in 0..20 {
        video.absorb(&[0xAA; 100]);
    }
    assert_eq!((video.packet_start.len(), video.searches), (1_024, 11));
    for _ in 0..1_000 {
        video.begin(None, &mut WrappingClock::default());
        video.absorb(&[0xAA; 100]);
    }
    assert_eq!((video.packet_start.len(), video.searches), (0, 512));
    assert!(!ElementaryStream::new(1, TrackKind::Audio, Codec::Unknown).wants_packet_start());
}

/// The beginning of MPEG-2 video.
const SEQUENCE: &[u8] = &[0, 0, 1, 0xB3, 0x2D, 0x02, 0x40, 0x33];

#[test]
fn sound_that_begins_with_the_parameters_of_pictures_is_a_contradiction() {
    for (start, holds_pictures) in [(SEQUENCE, true), (&[0, 0, 1, 0xDD, 0xDD], false), (&SEQUENCE[1..], false)] {
        let mut stream = ElementaryStream::new(1, TrackKind::Audio, Codec::Ac3);
        stream.recognise(0xBD, start);
        assert_eq!(stream.contradiction().is_some(), holds_pictures, "{start:?}");
    }
}

#[test]
fn a_stream_in_no_table_is_recognised_by_the_number_or_the_first_bytes_of_its_packets() {
    for (number, start, kind) in [
        (0xE0, &[][..], TrackKind::Video),
        (0xEF, &[], TrackKind::Video),
        (0xC0, &[], TrackKind::Audio),
        (0xDF, &[], TrackKind::Audio),
        (0xBD, SEQUENCE, TrackKind::Video),
        (0xFA, SEQUENCE, TrackKind::Video),
        (0x50, SEQUENCE, TrackKind::Video),
        (0xFA, &[0, 0, 1, 9], TrackKind::Other),
        (0xFC, &[0, 0, 1, 0], TrackKind::Other),
        (0xBD, &[0x0B, 0x77], TrackKind::Audio),
        (0xBD, &[0x7F, 0xFE, 0x80, 0x01], TrackKind::Audio),
        (0xFD, &[0xFF, 0xE0], TrackKind::Audio),
        (0xBD, &[0xFF, 0xDF], TrackKind::Other),
        (0xBC, &[0, 0, 1], TrackKind::Other),
    ] {
        let mut stream = ElementaryStream::new(1, TrackKind::Other, Codec::Unknown);
        stream.recognise(number, start);
        assert_eq!((stream.kind(), stream.is_guessed), (kind, kind != TrackKind::Other), "{number:#x} {start:?}");
    }
}

#[test]
fn the_first_table_that_describes_a_stream_counts() {
    let mut stream = ElementaryStream::new(1, TrackKind::Other, Codec::Unknown);
    for (kind, codec) in
        [(TrackKind::Other, Codec::Unknown), (TrackKind::Video, Codec::H264), (TrackKind::Audio, Codec::Aac)]
    {
        stream.describe_as(kind, codec);
    }
    assert_eq!((stream.kind(), stream.track.codec), (TrackKind::Video, Codec::H264));
}

#[test]
fn the_kind_of_a_stream_is_certain_by_a_table_or_by_the_size_of_its_picture() {
    let mut video = ElementaryStream::new(1, TrackKind::Other, Codec::Unknown);
    video.recognise(0xE0, &[]);
    assert!(!video.is_certain());
    video.describe_as(TrackKind::Other, Codec::Unknown);
    assert!(!video.is_certain() && video.kind() == TrackKind::Video, "the table does not describe it");
    video.track.set_size(64, 36);
    assert!(video.is_certain());
    let mut sound = ElementaryStream::new(1, TrackKind::Other, Codec::Unknown);
    sound.recognise(0xC0, &[]);
    sound.describe_as(TrackKind::Audio, Codec::Aac);
    assert!(sound.is_certain());
}

#[test]
fn a_clock_jumps_back_by_a_second_in_total_at_most() {
    let restarts = |times: &[u64]| {
        let stream = stream(TrackKind::Video, &times.iter().map(|time| (*time, 1)).collect::<Vec<_>>());
        stream.contradiction().is_some_and(|what| what.contains("restarts"))
    };
    assert!(!restarts(&[0, 90_000, 0, 90_000]), "once");
    assert!(restarts(&[0, 90_001, 0, 90_001]));
    assert!(restarts(&[0, 45_001].repeat(3)), "twice half a second");
    assert!(!restarts(&[0, 9_000].repeat(100)), "within the jitter");
}
