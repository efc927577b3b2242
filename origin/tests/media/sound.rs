//! The sound of the outputs: format, loudness, and alignment with the video.

use crate::clips::{AAC, Clip, H264, moving, tone};
use crate::hls::segment_lengths;
use crate::processed_clip::{
    ProcessedClip, copied_outputs, ffprobe, process, processed, processed_and_checked, silent_outputs,
};
use origin::media::plan::{SoundTreatment, ThumbnailChoice};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Integrated loudness and true peak, by ffmpeg's other meter.
fn loudness(path: &Path) -> (f64, f64) {
    let output = Command::new("ffmpeg")
        .args(["-nostdin", "-hide_banner", "-i"])
        .arg(path)
        .args(["-vn", "-af", "loudnorm=print_format=json", "-f", "null", "-"])
        .output()
        .unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    let json = &log[log.rfind('{').unwrap()..=log.rfind('}').unwrap()];
    let measured: Value = serde_json::from_str(json).unwrap();
    let number = |key: &str| measured[key].as_str().unwrap().parse().unwrap();
    (number("input_i"), number("input_tp"))
}

#[test]
fn a_video_without_sound_gets_no_sound() {
    assert_eq!(silent_outputs().verified.loudness, None);
}

#[test]
fn mono_and_six_channels_become_stereo() {
    let sounds = [
        "sine=f=440:d=2,aformat=channel_layouts=mono",
        "aevalsrc=sin(440*t)|sin(880*t)|sin(660*t)|0.1|sin(220*t)|sin(330*t):c=5.1:d=2",
    ];
    for sound in sounds {
        let inputs = format!("{} -f lavfi -i {sound}", moving("160x90", "30", 2.0));
        let outputs = processed(&Clip::new("source.mp4", &format!("{inputs} {H264} -c:a aac")));
        outputs.check(160, 90, 2.0, true);
        let (integrated, _) = loudness(&outputs.out("video.mp4"));
        assert!((-15.0..-13.0).contains(&integrated), "{sound}: {integrated}");
    }
}

#[test]
fn sound_of_every_level_reaches_the_target_without_clipping() {
    // Bursts with long pauses, which would clip if the gain alone were applied. The limiter has to work.
    let spiky = "-filter:a volume='if(lt(mod(t,0.5),0.02),20,0.3)':eval=frame";
    let loud = "-filter:a volume=18dB";
    // At most 9 dB are added.
    let quiet_mono = "-filter:a volume=-1dB -ac 1";
    let surround = "-c:a ac3 -ac 6";
    for options in fixtures::cases(&[spiky, loud][..], &[spiky, loud, quiet_mono, surround]) {
        let outputs = processed_and_checked(&Clip::with_sound("source.mkv", options));
        let (integrated, peak) = loudness(&outputs.out("video.mp4"));
        assert!((integrated + 14.0).abs() <= 1.0, "{options}: {integrated} LUFS");
        assert!(peak <= -1.0, "{options}: {peak} dBTP");
        let ours = outputs.verified.loudness.unwrap();
        assert!((ours.integrated_lufs - integrated).abs() < 0.5, "{ours:?}");
    }
}

#[test]
fn near_silence_is_not_amplified() {
    let outputs = processed_and_checked(&Clip::with_sound("source.mkv", "-filter:a volume=-60dB"));
    assert!(outputs.verified.loudness.unwrap().integrated_lufs < -60.0);
    assert_eq!(outputs.report.observations.silent.len(), 1);
}

#[test]
fn sound_that_is_already_right_is_copied() {
    let (_, first) = copied_outputs();
    let second = process(&first.out("video.mp4"), &ThumbnailChoice::Best).unwrap();
    assert_eq!(second.plan.sound.as_ref().unwrap().treatment, SoundTreatment::Copy);
    assert!(second.plan.copy_video);
}

#[test]
fn sound_that_begins_late_is_preceded_by_silence() {
    let late = format!("-itsoffset 1 {}", tone(2.0));
    let inputs = format!("{} {late}", moving("160x90", "30", 3.0));
    let outputs = processed(&Clip::new("source.mkv", &format!("{inputs} {H264} {AAC}")));
    outputs.check(160, 90, 3.0, true);
    assert_eq!(ffprobe(&outputs.out("video.mp4"))["streams"][1]["start_time"], "0.000000");
}

/// ffmpeg would play on without the pause, so that the rest of the sound came too early.
#[test]
fn a_pause_in_the_sound_of_a_transport_stream_is_silent() {
    let inputs = format!("{} {}", moving("160x90", "10", 16.0), tone(16.0));
    let paused = "-filter:a aselect='not(between(t,2,14))'";
    let outputs = processed(&Clip::new("source.ts", &format!("{inputs} {paused} {H264} {AAC}")));
    outputs.check(160, 90, 16.0, true);
    let silences = &outputs.report.observations.silent;
    let is_pause = |start: f64, end: f64| (1.9..2.2).contains(&start) && (13.8..14.2).contains(&end);
    assert!(silences.len() == 1 && is_pause(silences[0].start, silences[0].end), "{silences:?}");
}

/// The levels of the source suit a copy, which could not be made longer.
#[test]
fn sound_that_ends_early_is_followed_by_silence_until_the_pictures_end() {
    let (_, right) = copied_outputs();
    let sound = format!("-i {}", right.out("video.mp4").display());
    for start in ["", "-itsoffset 1 "] {
        let inputs = format!("{} {start}{sound}", moving("160x90", "10", 6.0));
        let outputs = processed(&Clip::new("source.mp4", &format!("{inputs} -map 0:v -map 1:a {H264} -c:a copy")));
        outputs.check(160, 90, 6.0, true);
        let listed: f64 = segment_lengths(&outputs, "sound").iter().sum();
        assert!((listed - 6.0).abs() < 0.05, "{start}: {listed}");
        let silences = &outputs.report.observations.silent;
        assert!(silences.iter().all(|part| part.end < 2.0), "the silence is not the source's: {silences:?}");
    }
}

#[test]
fn a_second_sound_track_that_begins_earlier_shifts_nothing() {
    let sounds = format!("-itsoffset 0.4 {} {}", tone(2.5), tone(2.9));
    let inputs = format!("-itsoffset 0.4 {} {sounds}", moving("160x90", "30", 2.5));
    let encode = format!("-map 0 -map 1 -map 2 {H264} {AAC}");
    for name in ["source.mkv", "source.mp4"] {
        let clip = Clip::new("first.mkv", &format!("{inputs} {encode}"));
        let outputs = processed(&clip.convert(name, "-map 0 -c copy"));
        outputs.check(160, 90, 2.52, true);
        let description = ffprobe(&outputs.out("video.mp4"));
        for stream in description["streams"].as_array().unwrap() {
            let start: f64 = stream["start_time"].as_str().unwrap().parse().unwrap();
            assert!(start < 0.05, "{name}: {stream}");
        }
    }
}

/// Returns how long the video of the first rung's playlist plays.
fn playlist_seconds(outputs: &ProcessedClip) -> f64 {
    segment_lengths(outputs, &format!("{}p", outputs.rungs()[0])).iter().sum()
}

#[test]
fn the_last_frame_is_shown_until_the_sound_ends() {
    // Longer than a segment.
    let sound = 5.0;
    let clips = [("source.mkv", 2.0), ("source.mp4", 0.04), ("source.mp4", 2.0)];
    for (name, video) in clips.into_iter().take(fixtures::cases(2, 3)) {
        let inputs = format!("{} {}", moving("160x90", "25", video), tone(sound));
        let outputs = processed(&Clip::new(name, &format!("{inputs} {H264} {AAC}")));
        outputs.check(160, 90, sound, true);
        let listed = playlist_seconds(&outputs);
        assert!((listed - sound).abs() < 0.1, "{name}, {video} s: {listed}");
        assert!(outputs.plan.stills.storyboard.cells >= 5);
    }
}

#[test]
fn the_track_that_is_marked_as_the_default_is_used() {
    let quiet = "-f lavfi -i sine=f=440:r=48000:d=2";
    let inputs = format!("{} {quiet} -f lavfi -i sine=f=1200:r=48000:d=2", moving("160x90", "30", 2.0));
    let marked = "-map 0 -map 1 -map 2 -disposition:a:0 0 -disposition:a:1 default";
    let outputs = processed(&Clip::new("source.mkv", &format!("{inputs} {marked} {H264} {AAC}")));
    assert_eq!(outputs.plan.sound.as_ref().map(|sound| sound.stream), Some(2));
}

/// The clips have one second of loud noise in the middle of a quiet tone.
#[test]
fn a_scream_between_whispers_is_observed_however_the_sound_is_treated() {
    let levels = "if(between(t,2,3),random(0)-0.5,0.008*sin(2000*t))";
    let quiet = "0.008*sin(2000*t)";
    for (level, options) in [(levels, "-c:a aac"), (levels, "-c:a pcm_s16le"), (quiet, "-c:a aac")] {
        let inputs = format!("{} -f lavfi -i aevalsrc='{level}|{level}':d=5", moving("640x96", "5", 5.0));
        let outputs = processed(&Clip::new("source.mkv", &format!("{inputs} {H264} {options}")));
        let loud: Vec<_> = outputs.report.observations.loud.iter().map(|part| (part.start, part.end)).collect();
        if level == quiet {
            assert_eq!(loud, []);
            continue;
        }
        let [(start, end)] = loud[..] else { panic!("{options}: {loud:?}") };
        assert!((start - 2.0).abs() < 0.3 && (end - 3.0).abs() < 0.3, "{options}: {start} to {end}");
    }
}
