//! Track entries, value by value.

use super::*;

/// Returns the tracks after one entry with these values.
fn entry(kind: u64, values: &[(ElementId, &[u8])]) -> MatroskaTracks {
    let mut tracks = MatroskaTracks::default();
    tracks.begin().expect("the first track");
    tracks.absorb(ids::TRACK_NUMBER, &[1]);
    tracks.absorb(ids::TRACK_TYPE, &kind.to_be_bytes());
    for (id, value) in values {
        tracks.absorb(*id, value);
    }
    tracks
}

fn described(kind: u64, values: &[(ElementId, &[u8])]) -> MediaTrack {
    entry(kind, values).describe(1_000_000_000).remove(0)
}

const VIDEO: u64 = 1;
const AUDIO: u64 = 2;
const SUBTITLES: u64 = 17;

#[test]
fn each_codec_id_has_ffprobes_codec_name() {
    for (name, id) in [
        ("h264", "V_MPEG4/ISO/AVC"),
        ("hevc", "V_MPEGH/ISO/HEVC"),
        ("vvc", "V_MPEGI/ISO/VVC"),
        ("av1", "V_AV1"),
        ("vp8", "V_VP8"),
        ("vp9", "V_VP9"),
        ("mpeg1video", "V_MPEG1"),
        ("mpeg2video", "V_MPEG2"),
        ("msmpeg4", "V_MPEG4/MS/V3"),
        ("mpeg4", "V_MPEG4/ISO/SP"),
        ("mpeg4", "V_MPEG4/ISO/ASP"),
        ("mpeg4", "V_MPEG4/ISO/AP"),
        ("theora", "V_THEORA"),
        ("prores", "V_PRORES"),
        ("mjpeg", "V_MJPEG"),
        ("rawvideo", "V_UNCOMPRESSED"),
        ("opus", "A_OPUS"),
        ("vorbis", "A_VORBIS"),
        ("flac", "A_FLAC"),
        ("alac", "A_ALAC"),
        ("eac3", "A_EAC3"),
        ("mp3", "A_MPEG/L3"),
        ("mp2", "A_MPEG/L2"),
        ("mp2", "A_MPEG/L1"),
        ("aac", "A_AAC/MPEG4/LC"),
        ("ac3", "A_AC3/BSID9"),
        ("dts", "A_DTS/EXPRESS"),
        ("truehd", "A_TRUEHD"),
        ("pcm", "A_PCM/INT/LIT"),
        ("unknown", "V_MS/VFW/FOURCC"),
    ] {
        assert_eq!(codec_of(id.as_bytes()).name(), name, "{id}");
    }
}

#[test]
fn the_private_data_of_a_compatibility_track_names_its_codec() {
    let private = [&[0; 16][..], b"XVID"].concat();
    let codec = |kind, id: &[u8]| described(kind, &[(ids::CODEC_ID, id), (ids::CODEC_PRIVATE, &private)]).codec;
    assert_eq!(codec(VIDEO, b"V_MS/VFW/FOURCC\0\0"), Codec::Mpeg4);
    assert_eq!(codec(VIDEO, b"V_VP9"), Codec::Vp9);
    assert_eq!(codec(AUDIO, b"A_MS/ACM"), Codec::Unknown);
}

#[test]
fn a_roll_near_a_quarter_turn_rotates_the_picture_clockwise() {
    for (roll, rotation) in
        [(0.0, 0), (45.0, 0), (89.0, 270), (91.0, 270), (179.5, 180), (-90.0, 90), (270.9, 90), (360.0, 0)]
    {
        assert_eq!(quarter_turn(roll), rotation, "{roll}");
        let values: [(ElementId, &[u8]); 3] =
            [(ids::PIXEL_WIDTH, &[64]), (ids::PIXEL_HEIGHT, &[36]), (ids::PROJECTION_ROLL, &f64::to_be_bytes(roll))];
        let track = described(VIDEO, &values);
        assert_eq!(track.width, Some(if rotation % 180 == 0 { 64 } else { 36 }), "{roll}");
    }
}

#[test]
fn the_display_size_counts_only_in_pixels_and_only_if_it_is_not_zero() {
    let coded: [(ElementId, &[u8]); 3] =
        [(ids::PIXEL_WIDTH, &[64]), (ids::PIXEL_HEIGHT, &[36]), (ids::DISPLAY_WIDTH, &[96])];
    let size = |more: &[(ElementId, &[u8])]| {
        let track = described(VIDEO, &[&coded, more].concat());
        assert_eq!((track.coded_width, track.coded_height), (Some(64), Some(36)));
        (track.width, track.height)
    };
    assert_eq!(size(&[(ids::DISPLAY_HEIGHT, &[54])]), (Some(96), Some(54)));
    assert_eq!(size(&[(ids::DISPLAY_HEIGHT, &[0])]), (Some(96), Some(36)));
    assert_eq!(size(&[(ids::DISPLAY_WIDTH, &[0])]), (Some(64), Some(36)));
    assert_eq!(size(&[(ids::DISPLAY_UNIT, &[3])]), (Some(64), Some(36)));
}

#[test]
fn a_sound_track_has_its_channels_and_rate() {
    let rate = 48_000.0_f32.to_be_bytes();
    let track = described(AUDIO, &[(ids::CHANNELS, &[6]), (ids::SAMPLE_RATE, &rate)]);
    assert_eq!((track.kind, track.channels, track.sample_rate), (TrackKind::Audio, Some(6), Some(48_000)));
    assert_eq!(described(AUDIO, &[(ids::SAMPLE_RATE, &0.5_f32.to_be_bytes())]).sample_rate, None);
}

/// Adds two frames, half a second apart, to the track with this number.
fn add_frames(tracks: &mut MatroskaTracks, number: u64) {
    for at in [0, 500] {
        tracks.observe(number, TimedFrame { at, order: at, duration: None }, 0, SoundAmount::default());
    }
}

#[test]
fn the_declared_frame_duration_gives_the_frame_rate_and_otherwise_the_count_does() {
    for (nanos, rate) in [(40_000_000_u32, 25.0), (0, 2.0)] {
        let mut tracks = entry(VIDEO, &[(ids::DEFAULT_DURATION, &nanos.to_be_bytes())]);
        add_frames(&mut tracks, 1);
        assert_eq!(tracks.describe(1_000_000_000)[0].frame_rate, Some(rate), "{nanos} ns");
    }
    let tracks = entry(VIDEO, &[(ids::DEFAULT_DURATION, &40_000_000_u32.to_be_bytes())]);
    assert_eq!((tracks.frame_duration(1), tracks.frame_duration(2)), (Some(40_000_000), None));
}

#[test]
fn encryption_is_reported() {
    assert!(described(VIDEO, &[(ids::CONTENT_ENCRYPTION, &[])]).encrypted);
    assert!(!described(VIDEO, &[]).encrypted);
    // Otherwise the walk would not reach it.
    for (parent, child) in
        [(ids::CONTENT_ENCODINGS, ids::CONTENT_ENCODING), (ids::CONTENT_ENCODING, ids::CONTENT_ENCRYPTION)]
    {
        assert!(ids::is_child(Some(parent), child));
    }
}

#[test]
fn a_file_needs_a_video_track() {
    let container = Container::Matroska;
    let required = |kind| entry(kind, &[]).require_video(container);
    assert_eq!(required(VIDEO), Ok(()));
    assert_eq!(required(AUDIO), Err(FileRefusal::AudioOnly { container }));
    assert_eq!(required(SUBTITLES), Err(FileRefusal::NoTracks { container }));
}

#[test]
fn a_track_that_begins_after_a_block_does_not_precede_the_blocks() {
    let mut tracks = entry(VIDEO, &[]);
    tracks.observe(1, TimedFrame { at: 0, order: 0, duration: None }, 0, SoundAmount::default());
    assert!(tracks.precede_blocks());
    tracks.begin().expect("the second track");
    assert!(!tracks.precede_blocks());
}

#[test]
fn blocks_of_subtitles_do_not_count() {
    for (kind, counts) in [(VIDEO, true), (AUDIO, true), (SUBTITLES, false)] {
        let mut tracks = entry(kind, &[]);
        add_frames(&mut tracks, 1);
        assert_eq!(tracks.proven(|ticks| ticks), if counts { 500 } else { 0 });
    }
}

#[test]
fn an_entry_without_a_number_has_no_blocks() {
    let mut tracks = MatroskaTracks::default();
    tracks.begin().expect("the first track");
    tracks.absorb(ids::TRACK_TYPE, &[1]);
    add_frames(&mut tracks, 0);
    assert_eq!(tracks.proven(|ticks| ticks), 0);
}

#[test]
fn the_last_frame_of_a_track_that_was_described_late_lasts_as_long_as_it_declares() {
    let described_late = |number: u8| {
        let mut tracks = MatroskaTracks::default();
        add_frames(&mut tracks, 1);
        tracks.begin().expect("the first track");
        for (id, value) in [(ids::TRACK_NUMBER, [number]), (ids::TRACK_TYPE, [1])] {
            tracks.absorb(id, &value);
        }
        tracks.absorb(ids::DEFAULT_DURATION, &90_000_000_u32.to_be_bytes());
        add_frames(&mut tracks, 2);
        tracks.finish(1_000_000);
        tracks.observed(7, |ticks| ticks).expect("frames").length()
    };
    assert_eq!([described_late(1), described_late(2)], [590, 507]);
}

#[test]
fn one_more_undescribed_track_is_kept_than_a_file_may_have() {
    let mut tracks = MatroskaTracks::default();
    for number in 1..=u64::try_from(MAX_TRACKS).unwrap() + 2 {
        add_frames(&mut tracks, number);
    }
    assert_eq!(tracks.strays.len(), MAX_TRACKS + 1);
}
