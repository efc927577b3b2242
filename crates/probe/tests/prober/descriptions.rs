//! The tracks of a clip in every container are described as ffprobe describes them.

use crate::support;
use crate::support::clips::{ClipRecipe, ClipSpec, RECIPES, encode};
use probe::{Container, Media, TrackKind};
use serde_json::Value;
use std::process::Command;

/// Returns what ffprobe says about the streams of a clip, or `None` if it is not installed.
fn described_by_ffprobe(recipe: &ClipRecipe, clip: &[u8]) -> Option<Vec<Value>> {
    let name = format!("described-{}-{}.{}", recipe.name, std::process::id(), recipe.extension);
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, clip).expect("a temporary file");
    let arguments = ["-v", "error", "-show_streams", "-of", "json"];
    let output = Command::new("ffprobe").args(arguments).arg(&path).output();
    std::fs::remove_file(&path).expect("the temporary file");
    let Ok(output) = output else {
        println!("SKIPPED: ffprobe is not installed");
        return None;
    };
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    Some(answer["streams"].as_array().expect("streams").clone())
}

/// Returns the first stream of a kind, with the codec that ffprobe names.
fn stream<'a>(streams: &'a [Value], kind: &str) -> (&'a Value, &'a str) {
    let stream = streams.iter().find(|stream| stream["codec_type"] == kind).expect("both kinds of streams");
    (stream, stream["codec_name"].as_str().unwrap_or_default())
}

#[test]
fn codecs_sizes_and_sound_are_those_that_ffprobe_reports() {
    for recipe in RECIPES {
        let Some(clip) = encode(*recipe, ClipSpec { frames: 50, rate: 25, sound: true }) else { return };
        let Some(streams) = described_by_ffprobe(recipe, &clip) else { return };
        let media = support::probe_whole(&clip).expect("a video");
        assert_eq!(media.tracks.len(), streams.len(), "{}", recipe.name);
        let (_, codec) = stream(&streams, "video");
        let video = media.video().expect("a video");
        assert!(codec.starts_with(video.codec.name()), "{}: {codec}, {:?}", recipe.name, video.codec);
        assert_eq!((video.coded_width, video.coded_height), (Some(64), Some(48)), "{}", recipe.name);
        assert_eq!((video.width, video.height), (Some(64), Some(48)), "{}", recipe.name);
        assert_eq!((video.rotation, video.encrypted), (0, false), "{}", recipe.name);
        check_sound(&media, stream(&streams, "audio"), recipe.name);
    }
}

/// Checks what the container declares about its sound. Transport streams do not even say which layer of MPEG audio they
/// carry, and program streams declare only the codec.
fn check_sound(media: &Media, (stream, codec): (&Value, &str), name: &str) {
    if media.container == Container::MpegTs {
        return;
    }
    let audio = media.tracks.iter().find(|track| track.kind == TrackKind::Audio).expect("sound");
    assert!(codec.starts_with(audio.codec.name()), "{name}: {codec}, {:?}", audio.codec);
    // WebM declares the rate before the encoder changed it for Opus.
    if !matches!(media.container, Container::MpegPs | Container::Webm) {
        let rate = stream["sample_rate"].as_str().and_then(|rate| rate.parse().ok());
        assert_eq!(audio.sample_rate, rate, "{name}");
    }
    // MP4 declares two channels for any AAC.
    if !matches!(media.container, Container::MpegPs | Container::Mp4 | Container::ThreeGp) {
        assert_eq!(audio.channels.map(u64::from), stream["channels"].as_u64(), "{name}");
    }
}

#[test]
fn the_frame_rate_is_that_of_the_encoder() {
    for recipe in RECIPES {
        let Some(clip) = encode(*recipe, ClipSpec { frames: 50, rate: 25, sound: false }) else { return };
        let media = support::probe_whole(&clip).expect("a video");
        let rate = media.video().and_then(|track| track.frame_rate).expect("a frame rate");
        assert!((rate - 25.0).abs() < 0.6, "{}: {rate}", recipe.name);
    }
}

#[test]
fn each_clip_is_identified_as_the_container_that_ffmpeg_wrote() {
    for recipe in RECIPES {
        let Some(clip) = encode(*recipe, ClipSpec { frames: 50, rate: 25, sound: false }) else { return };
        let expected = match recipe.extension {
            "mp4" => Container::Mp4,
            "mov" => Container::Quicktime,
            "3gp" => Container::ThreeGp,
            "mkv" => Container::Matroska,
            "webm" => Container::Webm,
            "avi" => Container::Avi,
            "flv" => Container::Flv,
            "ts" | "m2ts" => Container::MpegTs,
            "mpg" => Container::MpegPs,
            "wmv" => Container::Asf,
            "ogv" => Container::Ogg,
            other => panic!("which container is {other}?"),
        };
        assert_eq!(support::probe_whole(&clip).expect("a video").container, expected, "{}", recipe.name);
    }
}
