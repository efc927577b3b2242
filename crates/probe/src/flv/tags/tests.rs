//! Audio and video tags, byte by byte.

use super::*;

fn frame(at: i64) -> TimedFrame {
    TimedFrame { at, order: at, duration: None }
}

/// Returns the description after these tag bodies, 100 ms apart.
fn described(sounds: &[&[u8]], pictures: &[&[u8]], metadata: &ScriptMetadata) -> Vec<MediaTrack> {
    let mut tags = MediaTags::default();
    for (at, body) in (0..).step_by(100).zip(sounds) {
        tags.sound(frame(at), 10, body);
    }
    for (at, body) in (0..).step_by(100).zip(pictures) {
        tags.picture(frame(at), 100, body);
    }
    tags.describe(metadata, 1_000_000_000)
}

/// Returns the duration in milliseconds that the frames of these tags prove.
fn proven(sounds: &[&[u8]], pictures: &[&[u8]]) -> u64 {
    let mut tags = MediaTags::default();
    for (at, body) in (0..).step_by(100).zip(sounds) {
        tags.sound(frame(at), 10, body);
    }
    for (at, body) in (0..).step_by(100).zip(pictures) {
        tags.picture(frame(at), 100, body);
    }
    crate::timeline::proven(tags.timelines(), |ms| ms)
}

#[test]
fn the_first_byte_of_a_sound_names_its_codec_channels_and_rate() {
    for (name, formats) in [
        ("pcm", &[0, 3, 7, 8][..]),
        ("adpcm", &[1]),
        ("mp3", &[2, 14]),
        ("aac", &[10]),
        ("speex", &[11]),
        ("unknown", &[5]),
    ] {
        for format in formats {
            for (bits, rate) in [(0, 5_512), (1, 11_025), (2, 22_050), (3, 44_100)] {
                for (stereo, channels) in [(0, 1), (1, 2)] {
                    let flags = format << 4 | bits << 2 | 2 | stereo;
                    let track = described(&[&[flags, 1]], &[], &ScriptMetadata::default()).remove(0);
                    assert_eq!((track.kind, track.codec.name()), (TrackKind::Audio, name), "{flags:#04x}");
                    assert_eq!((track.sample_rate, track.channels), (Some(rate), Some(channels)), "{flags:#04x}");
                }
            }
        }
    }
}

#[test]
fn the_configuration_of_aac_is_not_sound() {
    assert_eq!(proven(&[&[0xAF, 0], &[0xAF, 1], &[0xAF, 1]], &[]), 100);
    assert_eq!(proven(&[&[0x2F, 0], &[0x2F, 1], &[0x2F, 1]], &[]), 200);
}

#[test]
fn the_first_byte_of_a_picture_names_its_codec() {
    for (id, name) in [(2, "flv1"), (4, "vp6"), (5, "vp6"), (7, "h264"), (9, "mpeg4"), (3, "unknown")] {
        let track = described(&[], &[&[0x10 | id, 1]], &ScriptMetadata::default()).remove(0);
        assert_eq!((track.kind, track.codec.name()), (TrackKind::Video, name), "{id}");
    }
    let extended = described(&[], &[b"\x91hvc1"], &ScriptMetadata::default()).remove(0);
    assert_eq!(extended.codec, Codec::Hevc);
}

#[test]
fn only_tags_with_a_frame_count() {
    for (is_frame, body) in [
        (true, &[0x12, 0][..]),
        (false, &[0x52, 0]),
        (true, &[0x17, 1]),
        (false, &[0x17, 0]),
        (true, &[0x17, 2]),
        (true, &[0x17, 3]),
        (false, &[0x57, 1]),
        (true, b"\x91hvc1"),
        (true, b"\x93hvc1"),
        // Configurations, which players that do not know the extension treat as frames.
        (true, b"\x90hvc1"),
        (true, b"\x92hvc1"),
        (false, &[0x19, 0]),
    ] {
        assert_eq!(proven(&[], &[body, body]), if is_frame { 100 } else { 0 }, "{body:?}");
    }
}

#[test]
fn a_second_configuration_of_mpeg4_is_a_frame() {
    assert_eq!(proven(&[], &[&[0x19, 0], &[0x19, 0], &[0x19, 0]]), 100);
    assert_eq!(proven(&[], &[&[0x17, 0], &[0x17, 0], &[0x17, 0]]), 0);
}

/// Returns the kind of the refusal, if these tags are refused.
fn refused(sounds: &[&[u8]], pictures: &[&[u8]]) -> Option<&'static str> {
    let mut tags = MediaTags::default();
    for body in sounds {
        tags.sound(frame(0), 100, body);
    }
    for body in pictures {
        tags.picture(frame(0), 100, body);
    }
    tags.refusal().map(|refusal| refusal.kind().name())
}

#[test]
fn pictures_or_sound_of_another_codec_are_noticed() {
    assert_eq!(refused(&[&[0xAF, 0], &[0xAE, 1]], &[&[0x17, 0], &[0x27, 1]]), None);
    for pictures in [[&[0x17, 1][..], &[0x19, 0]], [&[0x12, 0], &[0x14, 0]], [&[0x14, 0], &[0x15, 0]]] {
        assert_eq!(refused(&[], &pictures), Some("ambiguous"), "{pictures:?}");
    }
    assert_eq!(refused(&[], &[b"\x91hvc1\0\0\x07", b"\x91av01\0\0\x07"]), Some("ambiguous"));
    assert_eq!(refused(&[&[0x2F, 0], &[0xAF, 0]], &[]), Some("ambiguous"));
    assert_eq!(refused(&[], &[&[0x17, 1], &[0x52, 0]]), None, "a command");
    let mut tags = MediaTags::default();
    tags.sound(frame(0), 1, &[0x0F]);
    tags.sound(frame(0), 9, &[0xAF, 1]);
    tags.picture(frame(0), 1, &[0x12]);
    tags.picture(frame(0), 9, &[0x17, 1]);
    assert!(tags.refusal().is_none(), "tags without content");
}

#[test]
fn codecs_without_a_decoder_are_not_read() {
    for number in 0..=15_u8 {
        let is_picture = matches!(number, 2..=9);
        let is_sound = matches!(number, 0..=8 | 10 | 11 | 14);
        let unread = |is_read: bool| if is_read { None } else { Some("unsupported") };
        assert_eq!(refused(&[], &[&[0x10 | number, 1]]), unread(is_picture), "picture {number}");
        assert_eq!(refused(&[], &[&[0x50 | number, 1]]), None, "a command of {number}");
        assert_eq!(refused(&[&[number << 4, 1]], &[]), unread(is_sound), "sound {number}");
    }
}

#[test]
fn of_two_readings_of_a_composition_time_the_longer_counts() {
    let composition = |body: &[u8]| VideoPacket::read(body[0], 100, body).composition;
    assert_eq!(composition(b"\x91hvc1\0\0\x07"), 7);
    assert_eq!(composition(&[0x97, 1, 0, 0, 9, 0]), 9, "as H.264 without the extension");
}

#[test]
fn only_the_first_packet_of_a_codec_with_a_configuration_has_one() {
    for (body, configuration) in [([0x17, 0], Some(5)), ([0x17, 1], None), ([0x12, 0], None)] {
        assert_eq!(VideoPacket::read(body[0], 100, &body).configuration, configuration, "{body:?}");
    }
}

#[test]
fn an_end_marker_is_not_a_frame() {
    for (size, frames) in [(5, 0), (6, 1)] {
        let mut tags = MediaTags::default();
        tags.picture(frame(0), size, &[0x17, 2, 0, 0, 0]);
        assert_eq!(tags.picture_times.frames(), frames, "{size} bytes");
    }
}

#[test]
fn a_picture_is_shown_at_its_composition_time() {
    let shown = |body: &[u8]| {
        let mut tags = MediaTags::default();
        tags.picture(frame(0), 100, &[0x17, 1, 0, 0, 0]);
        tags.picture(frame(1_000), 100, body);
        crate::timeline::proven(tags.timelines(), |ms| ms)
    };
    assert_eq!(shown(&[0x27, 1, 0, 1, 0]), 1_256);
    assert_eq!(shown(&[0x27, 1, 0xFF, 0xFF, 0xFE]), 998);
    assert_eq!(shown(b"\x91hvc1\0\0\x50"), 1_080);
    assert_eq!(shown(b"\x93hvc1\0\0\x50"), 1_000, "this type has no composition time");
    assert_eq!(shown(&[0x22, 1, 0, 1, 0]), 1_000, "this codec has none");
}

#[test]
fn the_declared_size_is_used_only_in_whole_pixels_within_the_format() {
    let size = |width, height| {
        let metadata = ScriptMetadata { width, height, ..ScriptMetadata::default() };
        let track = described(&[], &[&[0x12, 0]], &metadata).remove(0);
        (track.width, track.height)
    };
    assert_eq!(size(Some(640.0), Some(480.0)), (Some(640), Some(480)));
    for wrong in [None, Some(0.5), Some(65_536.0), Some(f64::NAN)] {
        assert_eq!(size(wrong, Some(480.0)), (None, None), "{wrong:?}");
        assert_eq!(size(Some(640.0), wrong), (None, None), "{wrong:?}");
    }
}

#[test]
fn the_declared_frame_rate_has_precedence_over_the_counted_one() {
    let rate = |frame_rate| {
        let metadata = ScriptMetadata { frame_rate, ..ScriptMetadata::default() };
        described(&[], &[&[0x12, 0][..]; 5], &metadata).remove(0).frame_rate
    };
    assert_eq!(rate(Some(29.97)), Some(29.97));
    assert_eq!((rate(None), rate(Some(0.0))), (Some(5.0), Some(5.0)));
}

#[test]
fn a_file_needs_a_picture() {
    let container = Container::Flv;
    let mut tags = MediaTags::default();
    assert_eq!(tags.require_video(), Err(FileRefusal::NoTracks { container }));
    tags.sound(frame(0), 10, &[0xAF, 1]);
    assert_eq!(tags.require_video(), Err(FileRefusal::AudioOnly { container }));
    assert!(!tags.has_picture());
    tags.picture(frame(0), 100, &[0x12]);
    assert_eq!(tags.require_video(), Ok(()));
    assert!(tags.has_picture());
}

/// The `avcC` record of an H.264 video of 640x480.
const AVC_RECORD: &[u8] = &[1, 66, 0, 30, 0xFF, 0xE1, 0, 9, 0x67, 66, 0, 30, 0x95, 0xB0, 0x28, 0x0F, 0x68];

#[test]
fn the_size_is_that_of_the_configuration() {
    let size = |start: &[u8]| {
        let track = described(&[], &[&[start, AVC_RECORD].concat()], &ScriptMetadata::default()).remove(0);
        track.width.zip(track.height)
    };
    assert_eq!(size(&[0x17, 0, 0, 0, 0]), Some((640, 480)));
    assert_eq!(size(b"\x90avc1"), Some((640, 480)));
    assert_eq!([size(&[0x17, 1, 0, 0, 0]), size(b"\x91avc1")], [None; 2], "frames");
    assert_eq!(size(b"\x90hvc1"), None, "another record");
}

#[test]
fn frames_go_back_by_at_most_a_minute() {
    let tags = |times: &[(i64, i64)]| {
        let mut tags = MediaTags::default();
        for (stored, shown) in times {
            tags.note_time(*stored, *shown);
        }
        (tags.go_back(), tags.go_back_before_beginning())
    };
    assert_eq!(tags(&[(0, 0), (100_000, 100_000), (40_000, 40_000)]), (false, false));
    assert_eq!(tags(&[(0, 0), (100_000, 100_000), (39_999, 39_999)]), (true, false));
    assert_eq!(tags(&[(100_000, 40_000)]), (false, false));
    assert_eq!(tags(&[(100_000, 39_999)]), (false, true));
    assert_eq!(tags(&[(0, 0), (-1, 0)]), (false, true), "a negative time");
}
