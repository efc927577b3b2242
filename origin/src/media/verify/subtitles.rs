//! Checks the files of one subtitle track: a playlist of one segment, and WebVTT that consists of plain cues.

use super::mismatch::{mismatch, not_written};
use crate::media::MediaError;
use crate::media::files::output;
use crate::media::units::seconds as seconds_of;
use contract::MediaFile;
use std::fs;
use std::path::Path;
use subtitles::parse_time;

/// The rounding that the times of the playlist may have.
const ROUNDING_SECONDS: f64 = 0.001;

pub(super) fn check(folder: &Path, playing_seconds: f64, number: u32) -> Result<(), MediaError> {
    let (name, playlist) = (MediaFile::Subtitles(number), MediaFile::SubtitlePlaylist(number));
    let text = read(folder, name)?;
    check_cues(&text, playing_seconds).map_err(|problem| mismatch(name, &problem))?;
    let listed = listed_seconds(&read(folder, playlist)?, &MediaFile::Subtitles(number).local_name());
    let is_whole = listed.is_some_and(|seconds| (seconds - playing_seconds).abs() <= ROUNDING_SECONDS);
    if is_whole { Ok(()) } else { Err(mismatch(playlist, "it does not list the whole track")) }
}

/// Returns how long the only segment of a complete playlist lasts.
fn listed_seconds(text: &str, file: &str) -> Option<f64> {
    let mut segments = text.lines().filter(|line| line.starts_with("#EXTINF:") || !line.starts_with('#'));
    let seconds = segments.next()?.strip_prefix("#EXTINF:")?.trim_end_matches(',').parse().ok()?;
    let is_only = segments.next() == Some(file) && segments.next().is_none();
    (is_only && text.ends_with("#EXT-X-ENDLIST\n")).then_some(seconds)
}

/// Checks every block: times that end within the video, then lines without markup.
fn check_cues(text: &str, seconds: f64) -> Result<(), String> {
    let mut blocks = text.trim_end_matches('\n').split("\n\n");
    if !blocks.next().is_some_and(|header| header.starts_with("WEBVTT\n")) {
        return Err("it does not begin like WebVTT".to_owned());
    }
    let mut last_start = 0.0;
    let mut is_empty = true;
    for block in blocks {
        let (times, lines) = block.split_once('\n').ok_or_else(|| format!("a cue without text: {block:?}"))?;
        let (start, end) = times.split_once(" --> ").ok_or_else(|| format!("a cue without times: {block:?}"))?;
        let (start, end) = parse_time(start)
            .map(seconds_of)
            .zip(parse_time(end).map(seconds_of))
            .ok_or_else(|| format!("not a time: {times:?}"))?;
        if start < last_start || end <= start || end > seconds + ROUNDING_SECONDS {
            return Err(format!("a cue out of order: {times:?}"));
        }
        if lines.contains(['<', '>']) || lines.chars().any(|character| character.is_control() && character != '\n') {
            return Err(format!("not plain text: {lines:?}"));
        }
        (last_start, is_empty) = (start, false);
    }
    if is_empty { Err("it has no cue".to_owned()) } else { Ok(()) }
}

fn read(folder: &Path, name: MediaFile) -> Result<String, MediaError> {
    fs::read_to_string(output(folder, name)).map_err(|error| not_written(name, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_cues_in_order_within_the_video_pass() {
        let text = "WEBVTT\nX: y\n\n00:00:01.000 --> 00:00:02.000\na &lt;b\nc\n\n00:00:01.500 --> 00:00:03.000\nd\n";
        assert_eq!(check_cues(text, 3.0), Ok(()));
        for broken in [
            "",
            "WEBVTT\n",
            "WEBVTT\n\nSTYLE\n::cue{}\n",
            "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n",
            "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<c>a\n",
            "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\na\u{1}\n",
            "WEBVTT\n\n00:00:01.000 --> 00:00:01.000\na\n",
            "WEBVTT\n\n00:00:01.000 --> 00:00:03.500\na\n",
            "WEBVTT\n\n00:00:02.000 --> 00:00:03.000\na\n\n00:00:01.000 --> 00:00:03.000\nb\n",
        ] {
            assert!(check_cues(broken, 3.0).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn a_playlist_lists_one_segment_and_has_an_end() {
        let text = "#EXTM3U\n#EXTINF:3.5,\nsubtitles-1.vtt\n#EXT-X-ENDLIST\n";
        assert_eq!(listed_seconds(text, "subtitles-1.vtt"), Some(3.5));
        assert_eq!(listed_seconds(text, "subtitles-2.vtt"), None);
        assert_eq!(listed_seconds(&text.replace("#EXT-X-ENDLIST\n", ""), "subtitles-1.vtt"), None);
    }
}
