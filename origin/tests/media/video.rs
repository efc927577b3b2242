//! The video of the outputs: copying, orientation, sizes and frame rates.

use crate::clips::{Clip, H264, moving, position, tone};
use crate::processed_clip::{copied_outputs, ffprobe, processed, processed_and_checked};
use std::path::Path;
use std::process::Command;

#[test]
fn a_source_that_already_is_the_first_rendition_is_copied_packet_by_packet() {
    let hash = |path: &Path| {
        // Without supplemental messages, which the copy loses.
        let copy = "-map 0:v -c copy -bsf:v filter_units=remove_types=6 -f md5 -";
        let input = ["-v", "error", "-i", path.to_str().unwrap()];
        Command::new("ffmpeg").args(input).args(copy.split(' ')).output().unwrap().stdout
    };
    let (clip, outputs) = copied_outputs();
    assert!(outputs.plan.copy_video);
    assert_eq!(hash(&clip.path()), hash(&outputs.out("video.mp4")));
}

#[test]
fn a_source_with_open_gops_is_encoded() {
    let open = "-c:v libx264 -preset fast -crf 35 -pix_fmt yuv420p -bf 2 -g 30 -x264-params open-gop=1:scenecut=0";
    let outputs = processed(&Clip::new("source.mp4", &format!("{} {open}", moving("160x90", "30", 3.0))));
    outputs.check(160, 90, 3.0, false);
    assert!(!outputs.plan.copy_video);
}

#[test]
fn a_rotated_phone_video_comes_out_upright() {
    let clip = Clip::with_sound("flat.mp4", "").convert("source.mov", "-c copy -metadata:s:v rotate=90");
    let outputs = processed(&clip);
    outputs.check(90, 160, 2.5, true);
    assert!(!outputs.plan.copy_video);
}

#[test]
fn rotations_stored_in_frames_are_ignored() {
    let halves = "-f lavfi -i color=c=black:s=320x180:r=10:d=2 -vf drawbox=x=160:c=white:t=fill";
    let rotation = "-bsf:v h264_metadata=display_orientation=insert:rotate=90";
    let clip = Clip::new("source.ts", &format!("{halves} {H264} {rotation}"));
    let poster = image::open(processed(&clip).out("poster.jpg")).unwrap().to_luma8();
    let [left, right] = [80, 240].map(|x| poster.get_pixel(x, 45).0[0]);
    assert!(left < 30 && right > 220, "{left} and {right}");
}

#[test]
fn a_display_matrix_that_does_not_rotate_is_removed() {
    let one = 65_536_i32;
    let shifted = [one, 0, 0, 0, one, 0, 100 * one, 50 * one, 1 << 30];
    let doubled = [2 * one, 0, 0, 0, 2 * one, 0, 0, 0, 1 << 30];
    for matrix in [shifted, doubled] {
        let clip = Clip::with_sound("source.mp4", "-crf 35");
        clip.edit(|bytes| {
            let header = position(bytes, *b"tkhd");
            let values: Vec<u8> = matrix.iter().flat_map(|value| value.to_be_bytes()).collect();
            bytes[header + 44..header + 80].copy_from_slice(&values);
        });
        assert!(!processed_and_checked(&clip).plan.copy_video);
    }
}

#[test]
fn portrait_odd_and_tiny_sizes_are_accepted() {
    let silent = |size: &str, options: &str| {
        let encode = format!("-c:v libx264 -preset ultrafast {options}");
        Clip::new("source.mkv", &format!("{} {encode}", moving(size, "10", 2.0)))
    };
    processed(&silent("180x320", "-pix_fmt yuv420p")).check(180, 320, 2.0, false);
    processed(&silent("203x101", "-pix_fmt yuv444p")).check(202, 100, 2.0, false);
    let tiny = Clip::new("source.avi", &format!("{} -vf scale=1:1 -c:v rawvideo", moving("16x16", "10", 2.0)));
    processed(&tiny).check(2, 2, 2.0, false);
}

#[test]
fn pixels_that_are_not_square_become_square() {
    let clip = Clip::new("source.mp4", &format!("{} -vf setsar=2 {H264}", moving("80x90", "30", 2.0)));
    processed(&clip).check(160, 90, 2.0, false);
}

#[test]
fn four_k_is_scaled_to_1080_and_gets_the_whole_ladder() {
    let outputs = processed(&Clip::new("source.mp4", &format!("{} {H264}", moving("3840x2160", "2", 2.0))));
    outputs.check(1920, 1080, 2.0, false);
    assert_eq!(outputs.rungs(), [1080, 720, 480, 360, 240]);
    assert_eq!(outputs.verified.renditions.len(), 5);
}

/// Three seconds of 160x90, followed by three seconds of `second_size` in the same transport stream, as video
/// switchers produce it. The arguments in `sounds` encode the sound of each part.
fn in_two_parts(second_size: &str, sounds: [&str; 2]) -> Clip {
    let part = |size: &str, offset: u32, sound: &str| {
        let inputs = format!("{} {}", moving(size, "30", 3.0), tone(3.0));
        Clip::new("source.ts", &format!("{inputs} {H264} {sound} -output_ts_offset {offset}"))
    };
    let (first, second) = (part("160x90", 0, sounds[0]), part(second_size, 3, sounds[1]));
    let rest = std::fs::read(second.path()).unwrap();
    first.edit(|bytes| bytes.extend(rest));
    first
}

#[test]
fn a_video_that_changes_its_size_midway_is_accepted() {
    let outputs = processed(&in_two_parts("320x180", ["-an"; 2]));
    outputs.check(160, 90, 6.0, false);
    assert_eq!(ffprobe(&outputs.out("video.mp4"))["streams"][0]["nb_frames"], "180");
    let frames = std::fs::read_dir(outputs.folder.path().join("frames"));
    assert_eq!(frames.unwrap().count(), 12);
}

#[test]
fn sound_that_becomes_stereo_midway_is_accepted() {
    let outputs = processed(&in_two_parts("160x90", ["-ac 1", "-ac 2"]));
    outputs.check(160, 90, 6.0, true);
    let description = ffprobe(&outputs.out("video.mp4"));
    assert_eq!(description["streams"][0]["nb_frames"], "180");
    let packets: u32 = description["streams"][1]["nb_frames"].as_str().unwrap().parse().unwrap();
    assert!((281..=286).contains(&packets), "{packets}");
}

#[test]
fn a_thousand_frames_per_second_become_sixty() {
    let outputs = processed(&Clip::new("source.mp4", &format!("{} {H264}", moving("64x64", "1000", 2.0))));
    outputs.check(64, 64, 2.0, false);
    assert!((outputs.plan.rate.per_second() - 60.0).abs() < 1e-9);
}

#[test]
fn a_variable_frame_rate_becomes_constant() {
    let uneven = "-vf select='not(between(n,20,40))' -fps_mode vfr";
    let clip = Clip::new("source.mp4", &format!("{} {uneven} {H264}", moving("160x90", "30", 2.5)));
    let outputs = processed(&clip);
    outputs.check(160, 90, 2.5, false);
    let description = ffprobe(&outputs.out("video.mp4"));
    assert_eq!(description["streams"][0]["nb_frames"], "75");
    assert_eq!(description["streams"][0]["avg_frame_rate"], "30/1");
}

#[test]
fn interlaced_video_becomes_progressive() {
    let interlaced = "-c:v mpeg2video -q:v 4 -flags +ilme+ildct -top 1";
    let outputs = processed(&Clip::new("source.ts", &format!("{} {interlaced}", moving("320x180", "25", 2.0))));
    outputs.check(320, 180, 2.0, false);
    assert!(outputs.plan.interlaced);
    assert_eq!(outputs.plan.rate.to_string(), "50/1");
}

#[test]
fn a_very_wide_picture_is_not_stretched() {
    for (size, expected) in [("2000x16", (1750, 14)), ("16x2000", (14, 1750))] {
        let outputs = processed(&Clip::new("source.mp4", &format!("{} {H264}", moving(size, "10", 2.0))));
        outputs.check(expected.0, expected.1, 2.0, false);
    }
}
