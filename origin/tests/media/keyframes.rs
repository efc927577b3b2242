//! Tests of the playlists that contain only keyframes: each byte range can be decoded by itself.

use crate::hls::{copied_in_two_segments, encoded_with_a_tail};
use crate::processed_clip::ProcessedClip;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the byte ranges of a playlist, the first of which is the header of the file.
fn byte_ranges(outputs: &ProcessedClip, name: &str) -> Vec<Range<usize>> {
    let text = std::fs::read_to_string(outputs.out(&format!("hls/{name}.m3u8"))).unwrap();
    let ranges = text.lines().filter_map(|line| line.split_once("BYTERANGE"));
    let numbers = ranges.map(|(_, range)| range.trim_matches([':', '=', '"']).split_once('@').unwrap());
    let numbers = numbers.map(|(length, offset)| (length.parse::<usize>().unwrap(), offset.parse::<usize>().unwrap()));
    numbers.map(|(length, offset)| offset..offset + length).collect()
}

/// Writes a file for each byte range of a rendition's keyframe playlist: the header, and this range.
fn write_parts(outputs: &ProcessedClip, rendition: &str, folder: &Path) -> Vec<PathBuf> {
    let bytes = std::fs::read(outputs.out(&format!("hls/{rendition}.mp4"))).unwrap();
    let ranges = byte_ranges(outputs, &format!("{rendition}-keyframes"));
    let (header, keyframes) = ranges.split_first().unwrap();
    let write = |(number, range): (usize, &Range<usize>)| {
        let path = folder.join(format!("{rendition}-{number}.mp4"));
        std::fs::write(&path, [&bytes[header.clone()], &bytes[range.clone()]].concat()).unwrap();
        path
    };
    keyframes.iter().enumerate().map(write).collect()
}

/// Returns the types of the frames that ffmpeg decodes from each of these files. One start decodes all, each with its
/// own decoder.
fn frame_types(paths: &[PathBuf]) -> Vec<Vec<String>> {
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-nostdin", "-hide_banner", "-nostats"]);
    for path in paths {
        ffmpeg.args(["-threads", "1", "-i"]).arg(path);
    }
    for number in 0..paths.len() {
        let output = format!("-map {number}:v -vf showinfo@{number} -fps_mode passthrough -f null -");
        ffmpeg.args(output.split(' '));
    }
    let log = String::from_utf8(ffmpeg.output().unwrap().stderr).unwrap();
    let frame_type = |line: &str| Some(line.split_once(" type:")?.1.split_once(' ')?.0.to_owned());
    let of_file = |number| {
        let name = format!("[showinfo@{number} ");
        log.lines().filter(|line| line.starts_with(&name)).filter_map(frame_type).collect()
    };
    (0..paths.len()).map(of_file).collect()
}

/// Checks that each byte range of a rendition's keyframe playlist decodes to one keyframe. Returns their number.
pub(crate) fn check_keyframes(outputs: &ProcessedClip, rendition: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let parts = write_parts(outputs, rendition, folder.path());
    assert!(parts.len() >= 3, "{rendition}: {parts:?}");
    assert_eq!(frame_types(&parts), vec![["I"]; parts.len()], "{rendition}");
    parts.len()
}

#[test]
fn each_byte_range_of_a_keyframe_playlist_decodes_to_one_keyframe() {
    for (name, outputs, count) in [("copied", copied_in_two_segments(), 9), ("encoded", encoded_with_a_tail(), 3)] {
        for (index, rung) in outputs.rungs().into_iter().enumerate() {
            let keyframes = check_keyframes(outputs, &format!("{rung}p"));
            // A copy keeps its own keyframes, one a second; an encoded rung has one every two seconds.
            assert!(index > 0 || keyframes == count, "{name}, {rung}p: {keyframes}");
        }
    }
}
