//! Parses what ffmpeg's detectors observed. Observations inform moderation and decide nothing. Pure.
//!
//! Skips lines that make no sense, because an unclear observation is not a reason to fail a job.

use super::flashes::FlashSpan;
use super::loud_parts::{self, MomentaryLoudness};
use super::time_span::TimeSpan;

/// The stretches of a video in which something is wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    pub black: Vec<TimeSpan>,
    pub frozen: Vec<TimeSpan>,
    pub silent: Vec<TimeSpan>,
    /// Much louder than the rest of the video.
    pub loud: Vec<TimeSpan>,
    /// Flashes that may harm people with photosensitive epilepsy.
    pub flashing: Vec<FlashSpan>,
}

impl Observations {
    /// Parses the files of the video detectors and the audio detectors. A stretch without an end lasts to the end of
    /// the video.
    pub(super) fn parse(video: &str, audio: &str, flashing: Vec<FlashSpan>, duration: f64) -> Self {
        Self {
            black: spans(video, "lavfi.black_start", "lavfi.black_end", duration),
            frozen: spans(video, "lavfi.freezedetect.freeze_start", "lavfi.freezedetect.freeze_end", duration),
            silent: spans(audio, "lavfi.silence_start", "lavfi.silence_end", duration),
            loud: loud_parts::find(&momentary_loudness(audio)),
            flashing,
        }
    }
}

/// Returns the measurements, each with the time of the frame before it.
fn momentary_loudness(text: &str) -> Vec<MomentaryLoudness> {
    let (mut measured, mut at) = (Vec::new(), None);
    for line in text.lines() {
        if let Some((_, time)) = line.split_once("pts_time:") {
            at = time.trim().parse().ok();
        } else if let Some(lufs) = line.strip_prefix("lavfi.r128.M=") {
            measured.extend(at.zip(lufs.parse().ok()).map(|(at, lufs)| MomentaryLoudness { at, lufs }));
        }
    }
    measured
}

fn spans(text: &str, start_key: &str, end_key: &str, duration: f64) -> Vec<TimeSpan> {
    let (mut spans, mut open_since) = (Vec::new(), None);
    for (key, value) in entries(text) {
        if key == start_key {
            open_since = Some(value);
        } else if key == end_key {
            spans.extend(open_since.take().map(|start| TimeSpan { start, end: value }));
        }
    }
    spans.extend(open_since.map(|start| TimeSpan { start, end: duration }));
    spans
}

fn entries(text: &str) -> impl Iterator<Item = (&str, f64)> {
    text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        Some((key, value.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_without_an_end_lasts_to_the_end() {
        let text = "lavfi.black_start=0\nlavfi.black_end=1.5\nlavfi.black_start=8\n";
        let black = Observations::parse(text, "", Vec::new(), 10.0).black;
        assert_eq!(black, [TimeSpan { start: 0.0, end: 1.5 }, TimeSpan { start: 8.0, end: 10.0 }]);
    }

    #[test]
    fn silence_is_read_only_from_the_audio_detectors() {
        let observations = Observations::parse("", "lavfi.silence_start=2\nlavfi.silence_end=4", Vec::new(), 10.0);
        assert_eq!(observations.silent, [TimeSpan { start: 2.0, end: 4.0 }]);
        assert_eq!(Observations::parse("lavfi.silence_start=2", "", Vec::new(), 10.0).silent, []);
    }

    #[test]
    fn loudness_has_the_time_of_its_frame() {
        let text = "frame:0    pts:0       pts_time:0\nlavfi.r128.M=-20.5\nlavfi.r128.S=-3\n\
            frame:1    pts:4800    pts_time:0.1\nlavfi.r128.M=-21\nframe:2 pts_time:x\nlavfi.r128.M=-22\n";
        let expected = [(0.0, -20.5), (0.1, -21.0)].map(|(at, lufs)| MomentaryLoudness { at, lufs });
        assert_eq!(momentary_loudness(text), expected);
    }

    #[test]
    fn nonsense_gives_no_observations() {
        assert_eq!(Observations::parse("a=b\n=\nframe:x", "\u{0}", Vec::new(), 2.0), Observations::default());
    }
}
