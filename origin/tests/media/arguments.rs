//! The argument list of two typical jobs, word for word, so that every change to it shows up in review.

use std::ffi::OsString;
use std::path::Path;

use origin::media::encode::{argv, pair_argv, second_codec_argv};
use origin::media::encoders::{Encoders, SecondCodec};
use origin::media::plan::{Plan, SoundPlan, SoundTreatment, ThumbnailChoice};
use origin::media::source::{Alignment, Gain, Inspection, VideoStream};
use origin::media::{FrameRate, Hardware};

/// Returns a phone video: either rotated or copyable.
fn inspection(can_be_copied: bool) -> Inspection {
    Inspection {
        container: probe::Container::Mp4,
        duration_ms: 10_000,
        lead_in_seconds: 0.0,
        audio: None,
        subtitles: Vec::new(),
        closed_captions_from: None,
        video: VideoStream {
            stream: 0,
            codec: "h264".into(),
            profile: "High".into(),
            level: 40,
            pixel_format: "yuv420p".into(),
            width: 720,
            height: 1280,
            displayed_as_stored: can_be_copied,
            interlaced: false,
            full_range: false,
            matrix: "bt709".into(),
            transfer: String::new(),
            primaries: String::new(),
            dolby_vision: None,
            rate: FrameRate::new(30_000, 1001).unwrap(),
            constant_rate: true,
            source_fps: 29.97,
            longest_gap_seconds: 0.034,
            start: 0.0,
            end: 10.0,
            keyframes: vec![0.0, 2.0, 4.0, 6.0, 8.0],
            starts_with_keyframe: true,
            has_open_gops: false,
            has_discarded_packets: false,
            bits_per_second: 2_000_000.0,
            is_avc: true,
        },
    }
}

fn plan(is_copied: bool) -> Plan {
    let treatment =
        if is_copied { SoundTreatment::Copy } else { SoundTreatment::Encode(Gain { db: 6.0, limited: true }) };
    let alignment = if is_copied { Alignment::Unnecessary } else { Alignment::Pad };
    let sound = SoundPlan { stream: 1, treatment, alignment, seconds: 10.0, padded_seconds: None, target_lufs: -14.0 };
    Plan::new(&inspection(is_copied), Some(sound), &ThumbnailChoice::AtMs(1500))
}

fn lines(words: &[OsString]) -> String {
    let lines: Vec<_> = words.iter().map(|word| word.to_string_lossy().replace(';', ";\n    ")).collect();
    lines.join("\n") + "\n"
}

/// Compares the text with the file, or rewrites the file if `UPDATE_SNAPSHOTS` is set.
fn check_snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/media").join(name);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{name} differs. Set UPDATE_SNAPSHOTS=1 to rewrite it. New text:\n{text}");
}

fn argument_lines(is_copied: bool) -> String {
    lines(&argv(&plan(is_copied), Path::new("/private/source"), 2))
}

#[test]
fn a_second_codec_has_exactly_these_arguments() {
    for (codec, is_copied, name) in [
        (SecondCodec::Av1, true, "av1.argv"),
        (SecondCodec::Hevc, false, "hevc.argv"),
        (SecondCodec::Hevc, true, "hevc-copy.argv"),
    ] {
        let plan = plan(is_copied).with_encoders(Encoders { second_codec: Some(codec), ..Encoders::default() });
        let argv = second_codec_argv(&plan, Path::new("/private/source"), 2).unwrap();
        check_snapshot(name, &lines(&argv));
    }
    assert_eq!(second_codec_argv(&plan(true), Path::new("/private/source"), 2), None);
}

#[test]
fn a_graphics_card_has_exactly_these_arguments() {
    let vaapi = Hardware::Vaapi { render_node: 128, low_power: false };
    for (hardware, is_copied, name) in [(vaapi, false, "vaapi.argv"), (Hardware::Nvenc, true, "nvenc-copy.argv")] {
        let (decoder, encoder) = pair_argv(&plan(is_copied), Path::new("/private/source"), 2, hardware);
        check_snapshot(name, &(lines(&decoder) + "\n" + &lines(&encoder)));
    }
}

#[test]
fn an_encode_has_exactly_these_arguments() {
    check_snapshot("encode.argv", &argument_lines(false));
}

#[test]
fn a_copy_has_exactly_these_arguments() {
    check_snapshot("copy.argv", &argument_lines(true));
}
