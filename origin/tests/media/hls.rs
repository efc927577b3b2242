//! HLS: every rendition begins at zero and shows the same frame at the same time, and segments are never short.

use crate::clips::{AAC, Clip, moving, tone};
use crate::processed_clip::{ProcessedClip, processed};
use crate::rates::hard_outputs;
use fixtures::cases;
use mp4_atom::{Any, DecodeMaybe, Traf, TrunEntry};
use std::path::Path;
use std::sync::OnceLock;

const NO_REORDERING: &str = "-c:v libx264 -preset ultrafast -bf 0 -crf 35 -pix_fmt yuv420p -g 15";
const REORDERING: &str = "-c:v libx264 -preset veryfast -bf 2 -crf 35 -pix_fmt yuv420p -g 15";
const ONLY_KEYFRAMES: &str = "-c:v libx264 -preset ultrafast -crf 45 -pix_fmt yuv420p -g 1";

/// Returns when each sample of a fragmented file is presented, in milliseconds, and whether it is a keyframe. Looks at
/// the boxes, because ffprobe adds a delay if a frame is presented before it is decoded.
pub(crate) fn packets(path: &Path) -> Vec<(i64, bool)> {
    let bytes = std::fs::read(path).unwrap();
    let (mut rest, mut timescale, mut packets) = (bytes.as_slice(), 0, Vec::new());
    while let Some(any) = Any::decode_maybe(&mut rest).unwrap() {
        match any {
            Any::Moov(moov) => timescale = i64::from(moov.trak[0].mdia.mdhd.timescale),
            Any::Moof(moof) => packets.extend(fragment(&moof.traf[0], timescale)),
            _ => {}
        }
    }
    packets.sort_unstable();
    packets
}

fn fragment(track: &Traf, timescale: i64) -> Vec<(i64, bool)> {
    let mut decoded_at = i64::try_from(track.tfdt.as_ref().unwrap().base_media_decode_time).unwrap();
    let samples = track.trun[0].samples.iter();
    let packet = |sample: TrunEntry| {
        let time = decoded_at + sample.cts.unwrap_or(0);
        let duration = sample.duration.or(track.tfhd.default_sample_duration).unwrap();
        let flags = sample.flags.or(track.tfhd.default_sample_flags).unwrap();
        decoded_at += i64::from(duration);
        ((time * 1000 + timescale / 2) / timescale, flags & 0x1_0000 == 0)
    };
    samples.map(packet).collect()
}

pub(crate) fn times(packets: &[(i64, bool)]) -> Vec<i64> {
    packets.iter().map(|(time, _)| *time).collect()
}

/// Returns the lengths of the segments in a playlist.
pub(crate) fn segment_lengths(outputs: &ProcessedClip, name: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(outputs.out(&format!("hls/{name}.m3u8"))).unwrap();
    let lengths = text.lines().filter_map(|line| line.strip_prefix("#EXTINF:"));
    lengths.map(|length| length.trim_end_matches(',').parse().unwrap()).collect()
}

/// Processes a clip with 15 frames per second and, in the first two encodings, a keyframe every second. It has three
/// rungs: 480p, 360p and 240p. The pictures are low, because tests of times need no large pictures.
fn with_three_rungs(name: &str, seconds: f64, encoding: &str) -> ProcessedClip {
    let inputs = format!("{} {}", moving("852x96", "15", seconds), tone(seconds));
    processed(&Clip::new(name, &format!("{inputs} {encoding} {AAC}")))
}

/// Returns the outputs of a copied clip of two segments and a frame, shared by the tests that only look at them.
pub(crate) fn copied_in_two_segments() -> &'static ProcessedClip {
    static OUTPUTS: OnceLock<ProcessedClip> = OnceLock::new();
    OUTPUTS.get_or_init(|| {
        let outputs = with_three_rungs("source.mp4", 8.07, NO_REORDERING);
        assert!(outputs.plan.copy_video);
        outputs
    })
}

/// Returns the outputs of an encoded clip that is a little longer than a segment, shared in the same way.
pub(crate) fn encoded_with_a_tail() -> &'static ProcessedClip {
    static OUTPUTS: OnceLock<ProcessedClip> = OnceLock::new();
    OUTPUTS.get_or_init(|| {
        let outputs = with_three_rungs("source.flv", 4.07, REORDERING);
        assert!(!outputs.plan.copy_video);
        outputs
    })
}

#[test]
fn all_rungs_show_the_same_frame_at_the_same_time_from_zero_on() {
    check_times(copied_in_two_segments(), 122);
    check_times(encoded_with_a_tail(), 62);
    let others = [("source.mkv", true), ("source.ts", false)];
    for (name, is_copied) in others.into_iter().take(cases(0, 2)) {
        let outputs = with_three_rungs(name, 2.0, REORDERING);
        assert_eq!(outputs.plan.copy_video, is_copied, "{name}");
        check_times(&outputs, 30);
    }
}

/// Checks that each rung shows this many frames, at the right times.
fn check_times(outputs: &ProcessedClip, frames: usize) {
    let [top, lower, low] = [480, 360, 240].map(|rung| packets(&outputs.out(&format!("hls/{rung}p.mp4"))));
    let expected: Vec<i64> = (0..).map(|frame| (frame * 1000 + 7) / 15).take(frames).collect();
    assert_eq!((times(&lower), times(&low)), (expected.clone(), expected.clone()));
    let is_close = |(one, other): (&i64, &i64)| one.abs_diff(*other) <= 1;
    assert!(top.len() == frames && times(&top).iter().zip(&expected).all(is_close), "{top:?}");
    let sound = packets(&outputs.out("hls/sound.mp4"));
    assert!(sound[0].0 < 30, "{:?}", &sound[..2]);
}

#[test]
fn a_tail_of_a_few_frames_joins_the_segment_before() {
    for (outputs, before) in [(copied_in_two_segments(), 1), (encoded_with_a_tail(), 0)] {
        for playlist in ["480p", "360p", "240p", "sound", "sound-low"] {
            let lengths = segment_lengths(outputs, playlist);
            assert!(lengths.len() == before + 1 && lengths[before] > 4.0, "{playlist}: {lengths:?}");
        }
    }
}

#[test]
fn segments_begin_with_a_keyframe_in_every_rung() {
    let outputs = copied_in_two_segments();
    for rung in ["480p", "360p"] {
        let lengths = segment_lengths(outputs, rung);
        assert!(lengths.len() == 2 && (lengths[0] - 4.0).abs() < 1e-6, "{rung}: {lengths:?}");
        let packets = packets(&outputs.out(&format!("hls/{rung}.mp4")));
        assert!(packets.contains(&(4000, true)), "{rung}");
    }
}

#[test]
fn the_keyframes_of_a_copy_are_not_forced_into_the_lower_rungs() {
    let outputs = with_three_rungs("source.mp4", 3.0, ONLY_KEYFRAMES);
    assert!(outputs.plan.copy_video);
    let count = |rung: &str| packets(&outputs.out(&format!("hls/{rung}.mp4"))).iter().filter(|(_, key)| *key).count();
    assert_eq!((count("480p"), count("360p")), (45, 2));
}

#[test]
fn the_rendition_for_poor_connections_needs_at_most_250_kbit_s() {
    let noise = "-f lavfi -i testsrc2=s=640x360:r=10:d=2.5,noise=alls=60:allf=t";
    let encoding = "-c:v libx264 -preset ultrafast -b:v 1M -maxrate 1M -bufsize 1M -bf 0 -g 10 -pix_fmt yuv420p";
    let copied = processed(&Clip::new("source.mp4", &format!("{noise} {} {encoding} {AAC}", tone(2.5))));
    for (outputs, is_copied) in [(&copied, true), (hard_outputs(), false)] {
        assert_eq!((outputs.plan.copy_video, outputs.rungs()), (is_copied, vec![360, 240]));
        let peak = outputs.stated_peak("240p.m3u8");
        assert!((100_000..=250_000).contains(&peak), "{is_copied}: {peak}");
        assert!(outputs.out("hls/sound-low.mp4").exists());
        // The small pictures do not shrink with it.
        assert_eq!(image::image_dimensions(outputs.folder.path().join("frames/0001.jpg")).unwrap(), (512, 288));
    }
}

#[test]
fn all_playlists_have_the_same_target_duration() {
    let outputs = copied_in_two_segments();
    let target = |name: &str| {
        let text = std::fs::read_to_string(outputs.out(&format!("hls/{name}.m3u8"))).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("#EXT-X-TARGETDURATION:")).unwrap();
        line.to_owned()
    };
    for name in ["480p", "360p", "240p", "sound", "sound-low"] {
        let longest = segment_lengths(outputs, name).into_iter().fold(0.0, f64::max);
        assert!(target(name) == target("480p") && longest.round() <= target(name).parse::<f64>().unwrap(), "{name}");
    }
}
