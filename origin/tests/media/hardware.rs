//! The path of the frames to a graphics card and back, and the fallback if the card fails.
//!
//! Test machines have no card. A script takes the place of ffmpeg: it runs the real one with the same arguments, but
//! with x264 where they name the card's encoder. So everything except the card's own encoding is tested.

use crate::clips::{AAC, Clip, H264, moving, tone};
use crate::hls::packets;
use crate::processed_clip::{ProcessedClip, process_with, processed, script, tools};
use fixtures::cases;
use origin::media::encode::try_hardware;
use origin::media::encoders::{Encoder, Encoders};
use origin::media::plan::ThumbnailChoice;
use origin::media::{CancelFlag, Hardware, MediaContext, MediaError, Tools};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Replaces the card's encoder, and drops the options that x264 does not have.
const X264_FOR_CARD: &str = r#"
arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    h264_nvenc) arguments+=(libx264 -preset ultrafast -sc_threshold 0); shift ;;
    -preset | -tune | -rc | -cq | -b:v | -spatial-aq | -no-scenecut) shift 2 ;;
    *) arguments+=("$1"); shift ;;
  esac
done
exec ffmpeg "${arguments[@]}""#;

const BROKEN_CARD: &str = r#"
case " $* " in
  *" h264_nvenc "*) echo "[h264_nvenc @ 0x5] [error] OpenEncodeSessionEx failed: out of memory (10)" >&2; exit 1 ;;
esac
exec ffmpeg "$@""#;

fn card_tools(commands: &str) -> (TempDir, Tools) {
    let folder = tempfile::tempdir().unwrap();
    let h264 = Encoder { hardware: Some(Hardware::Nvenc), ..Encoder::default() };
    let encoders = Encoders { h264, ..Encoders::default() };
    let ffmpeg = script(folder.path(), commands);
    (folder, Tools { ffmpeg, encoders, ..tools() })
}

fn processed_by_card(commands: &str, source: &Path) -> Result<ProcessedClip, MediaError> {
    let (_folder, tools) = card_tools(commands);
    process_with(&tools, source, &ThumbnailChoice::Best)
}

/// Returns when each packet of a file is shown or heard, and for how long, by ffprobe.
fn played(path: &Path) -> Vec<String> {
    let entries = "packet=codec_type,pts_time,duration_time";
    let output =
        Command::new("ffprobe").args(["-v", "error", "-of", "csv", "-show_entries", entries]).arg(path).output();
    let mut packets: Vec<_> = String::from_utf8(output.unwrap().stdout).unwrap().lines().map(str::to_owned).collect();
    packets.sort_unstable();
    packets
}

fn check_same_times(clip: &Clip, seconds: f64, is_copied: bool) {
    let card = processed_by_card(X264_FOR_CARD, &clip.path()).unwrap();
    assert_eq!(card.report.hardware_failure, None);
    let usual = processed(clip);
    assert_eq!((card.plan.copy_video, card.rungs()), (is_copied, usual.rungs()));
    card.check(532, 96, seconds, true);
    let expected = played(&usual.out("video.mp4"));
    assert!(expected.len() > 100);
    assert_eq!(played(&card.out("video.mp4")), expected);
    let [card_sound, usual_sound] = [&card, &usual].map(|outputs| packets(&outputs.out("hls/sound.mp4")));
    assert!(usual_sound.len() > 100);
    assert_eq!(card_sound, usual_sound);
    for rung in card.rungs() {
        let [card, usual] = [&card, &usual].map(|outputs| packets(&outputs.out(&format!("hls/{rung}p.mp4"))));
        assert_eq!(card, usual, "{rung}p");
    }
}

#[test]
fn pictures_and_sound_of_a_card_are_at_the_same_times_as_without_one() {
    let inputs = |seconds| format!("{} {}", moving("532x96", "15", seconds), tone(seconds));
    // The sound begins half a second after the pictures.
    let late = format!("{} -itsoffset 0.5 {}", moving("532x96", "15", 2.5), tone(2.0));
    let sources = [
        ("source.mp4", format!("{late} -c:v mpeg4 -q:v 5 {AAC}"), 2.5, false),
        ("source.mp4", format!("{} {H264} -crf 35 {AAC}", inputs(2.5)), 2.5, true),
        ("source.mkv", format!("{} -c:v mpeg4 -q:v 5 {AAC}", inputs(4.0)), 4.0, false),
    ];
    for (name, arguments, seconds, is_copied) in sources.into_iter().take(cases(2, 3)) {
        check_same_times(&Clip::new(name, &arguments), seconds, is_copied);
    }
}

#[test]
fn a_video_without_sound_and_with_one_rung_is_encoded_by_a_card() {
    let clip = Clip::new("source.mkv", &format!("{} -c:v mpeg4", moving("64x64", "30", 2.5)));
    let outputs = processed_by_card(X264_FOR_CARD, &clip.path()).unwrap();
    assert_eq!(outputs.report.hardware_failure, None);
    outputs.check(64, 64, 2.5, false);
}

#[test]
fn if_a_card_fails_x264_encodes_and_the_report_says_why() {
    let clip = Clip::with_sound("source.mkv", "-crf 30");
    let outputs = processed_by_card(BROKEN_CARD, &clip.path()).unwrap();
    outputs.check(160, 90, 2.5, true);
    let failure = outputs.report.hardware_failure.unwrap();
    assert!(failure.contains("OpenEncodeSessionEx failed"), "{failure}");
}

#[test]
fn a_broken_file_is_blamed_and_not_the_card() {
    let clip = Clip::new("source.mp4", &format!("{} -c:v mpeg4 -q:v 5", moving("160x90", "30", 3.0)));
    clip.erase_second_half();
    for commands in [X264_FOR_CARD, BROKEN_CARD] {
        let result = processed_by_card(commands, &clip.path());
        assert!(matches!(&result, Err(MediaError::Rejected { .. })), "{:?}", result.err());
    }
}

#[test]
fn a_card_is_tried_before_a_job_needs_it() {
    let result = |hardware| {
        let (folder, tools) = card_tools(BROKEN_CARD);
        let h264 = Encoder { hardware, ..Encoder::default() };
        let tools = Tools { encoders: Encoders { h264, ..Encoders::default() }, ..tools };
        let (source, cancel) = (folder.path().join("source"), CancelFlag::default());
        try_hardware(&MediaContext { tools: &tools, source: &source, folder: folder.path(), cancel: &cancel })
    };
    assert!(result(None).is_ok());
    let missing = Hardware::Vaapi { render_node: 255, low_power: false };
    for (hardware, reason) in
        [(missing, "there is no /dev/dri/renderD255"), (Hardware::Nvenc, "h264_nvenc does not work")]
    {
        let result = result(Some(hardware));
        assert!(matches!(&result, Err(MediaError::Permanent(detail)) if detail.contains(reason)), "{result:?}");
    }
}

/// A misspelt option would only be noticed on a machine with such a card.
#[test]
fn every_option_of_a_card_is_known_to_ffmpeg() {
    for (encoder, options) in [
        ("h264_vaapi", &["rc_mode", "low_power", "sei", "profile"][..]),
        ("h264_nvenc", &["preset", "tune", "rc", "cq", "spatial-aq", "forced-idr", "no-scenecut", "profile"]),
    ] {
        let output = Command::new("ffmpeg").args(["-hide_banner", "-h", &format!("encoder={encoder}")]).output();
        let help = String::from_utf8(output.unwrap().stdout).unwrap();
        if help.contains("is not recognized") {
            println!("SKIPPED: this ffmpeg has no {encoder}");
            continue;
        }
        for option in options {
            assert!(help.contains(&format!("\n  -{option} ")), "{encoder} has no option {option}");
        }
    }
}
