//! Files of exactly two minutes pass every stage although their last frames end a little later, and packets that
//! play for longer than they say are the file's fault, found before an encode.

use crate::clips::{AAC, Clip, H264, moving, tone};
use crate::processed_clip::{process, processed, tools};
use contract::ErrorCode;
use fixtures::clips::{RECIPES, encode_seconds, recipe_of};
use origin::media::plan::ThumbnailChoice;
use origin::media::source::{Inspection, inspect};
use origin::media::{CancelFlag, MediaContext, MediaError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

fn inspected(source: &Path) -> Result<Inspection, MediaError> {
    let (tools, folder, cancel) = (tools(), tempfile::tempdir().unwrap(), CancelFlag::default());
    inspect(&MediaContext { tools: &tools, source, folder: folder.path(), cancel: &cancel })
}

fn seconds_of(name: &str, seconds: &str) -> NamedTempFile {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("clips-of-two-minutes");
    let clip = encode_seconds(&folder, recipe_of(name), "25", seconds).expect("ffmpeg is installed");
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), clip).unwrap();
    file
}

#[test]
fn two_minutes_are_two_minutes_in_every_container_and_more_are_too_long() {
    for recipe in RECIPES {
        let exact = inspected(seconds_of(recipe.name, "120").path()).map(|inspection| inspection.duration_ms);
        assert!(matches!(exact, Ok(119_900..=120_000)), "{}: {exact:?}", recipe.name);
        let long = inspected(seconds_of(recipe.name, "120.2").path());
        let Err(MediaError::Rejected { code, detail, .. }) = long else { panic!("{}: {long:?}", recipe.name) };
        assert_eq!(code, ErrorCode::ContentVideoDurationInvalid, "{}: {detail}", recipe.name);
        assert!(detail.contains("120.2") && detail.contains("2 to 120 seconds"), "{}: {detail}", recipe.name);
    }
}

#[test]
fn two_minutes_are_published_as_two_minutes() {
    for name in ["mp4-fragmented", "flv", "avi"] {
        let source = seconds_of(name, "120");
        let outputs =
            process(source.path(), &ThumbnailChoice::Best).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(
            (119_900..=120_000).contains(&outputs.verified.duration_ms),
            "{name}: {}",
            outputs.verified.duration_ms
        );
    }
}

#[test]
fn the_sound_of_phones_with_its_long_frames_ends_with_the_pictures() {
    for rate in [8_000, 11_025] {
        for name in ["source.3gp", "source.mp4"] {
            let inputs = format!("{} {}", moving("176x144", "15", 5.0), tone(5.0));
            let outputs = processed(&Clip::new(name, &format!("{inputs} -c:v mpeg4 -c:a aac -ac 1 -ar {rate}")));
            outputs.check(176, 144, 5.0, true);
        }
    }
}

/// Returns the tags of an FLV file: where each begins, and its kind.
fn tags(flv: &[u8]) -> Vec<(usize, u8)> {
    let (mut tags, mut at) = (Vec::new(), 13);
    while let Some(&[kind, s2, s1, s0]) = flv.get(at..at + 4).and_then(|header| header.first_chunk::<4>()) {
        tags.push((at, kind));
        at += 15 + u32::from_be_bytes([0, s2, s1, s0]) as usize;
    }
    tags
}

/// Returns the content of a tag.
fn content(flv: &[u8], at: usize) -> &[u8] {
    let size = u32::from_be_bytes([0, flv[at + 1], flv[at + 2], flv[at + 3]]) as usize;
    &flv[at + 11..at + 11 + size]
}

/// Returns an FLV file of three seconds whose last packet of sound holds the frames of this many seconds of silence.
fn with_silence_in_the_last_packet(seconds: f64) -> NamedTempFile {
    const SOUND: u8 = 8;
    let inputs = format!("{} {}", moving("160x90", "25", 3.0), tone(3.0));
    let mut flv = std::fs::read(Clip::new("clip.flv", &format!("{inputs} {H264} {AAC} -ar 44100")).path()).unwrap();
    let silence = format!("-f lavfi -i anullsrc=r=44100:cl=stereo -t {seconds} {AAC}");
    let silence = std::fs::read(Clip::new("silence.flv", &silence).path()).unwrap();
    let sound = |file: &[u8]| -> Vec<usize> {
        tags(file).into_iter().filter(|(_, kind)| *kind == SOUND).map(|(at, _)| at).collect()
    };
    // The first sound tag configures the decoder. In each tag, two bytes about the codec precede the sound.
    let frames: Vec<u8> = sound(&silence)[1..].iter().flat_map(|at| content(&silence, *at)[2..].to_vec()).collect();
    let last = *sound(&flv).last().unwrap();
    let old = content(&flv, last).len();
    let size = u32::try_from(frames.len() + 2).unwrap();
    flv.splice(last + 13..last + 15 + old, frames.into_iter().chain((size + 11).to_be_bytes()));
    flv[last + 1..last + 4].copy_from_slice(&size.to_be_bytes()[1..]);
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), flv).unwrap();
    file
}

#[test]
fn a_packet_that_holds_minutes_of_sound_is_the_files_fault_and_costs_nothing() {
    for (seconds, within) in [(1_200.0, 5), (15.0, 10)] {
        let source = with_silence_in_the_last_packet(seconds);
        let started = Instant::now();
        let outcome = process(source.path(), &ThumbnailChoice::Best);
        let took = started.elapsed();
        println!("{seconds} s in the last packet: {took:?}");
        let Err(MediaError::Rejected { code, detail, .. }) = outcome else { panic!("{seconds}: {outcome:?}") };
        assert_eq!(code, ErrorCode::ContentFileInvalidFormat, "{detail}");
        assert!(took < Duration::from_secs(within), "{took:?}");
    }
}
