//! Parses what ffmpeg's detectors observed. Observations inform moderation and decide nothing. Pure.
//!
//! Skips lines that make no sense, because an unclear observation is not a reason to fail a job.

use std::collections::VecDeque;

/// The stretches of a video in which something is wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    pub black: Vec<TimeSpan>,
    pub frozen: Vec<TimeSpan>,
    pub silent: Vec<TimeSpan>,
    /// Flashes that may harm people with photosensitive epilepsy.
    pub flashing: Vec<TimeSpan>,
}

/// A stretch of time, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeSpan {
    pub start: f64,
    pub end: f64,
}

impl Observations {
    /// Parses the files of the video detectors and the audio detectors. A stretch without an end lasts to the end of
    /// the video.
    pub(super) fn parse(video: &str, audio: &str, duration: f64) -> Self {
        Self {
            black: spans(video, "lavfi.black_start", "lavfi.black_end", duration),
            frozen: spans(video, "lavfi.freezedetect.freeze_start", "lavfi.freezedetect.freeze_end", duration),
            silent: spans(audio, "lavfi.silence_start", "lavfi.silence_end", duration),
            flashing: flashing(video),
        }
    }
}

/// Returns how many frames the video detectors observed: they write a line for every frame.
pub(super) fn count_frames(video: &str) -> u64 {
    frames(video).count() as u64
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

/// Adds up the change from frame to frame over one second, giving older frames less weight. A sum of 1 is dangerous.
///
/// Does not use the filter's own sum, which includes the step from nothing to the first frame and so raises a false
/// alarm.
fn flashing(text: &str) -> Vec<TimeSpan> {
    let mut window = VecDeque::new();
    let mut spans: Vec<TimeSpan> = Vec::new();
    for (time, change) in frames(text).skip(1) {
        window.push_back((time, change));
        while window.front().is_some_and(|(first, _)| time - first >= 1.0) {
            window.pop_front();
        }
        let danger: f64 = window.iter().map(|(then, change)| change * (1.0 - (time - then))).sum();
        if danger >= 1.0 {
            match spans.last_mut() {
                Some(last) if time - last.end < 1.0 => last.end = time,
                _ => spans.push(TimeSpan { start: time, end: time }),
            }
        }
    }
    spans
}

/// Returns the time and the change of each frame.
fn frames(text: &str) -> impl Iterator<Item = (f64, f64)> {
    let mut time = None;
    text.lines().filter_map(move |line| {
        if line.starts_with("frame:") {
            time = line.split_once("pts_time:").and_then(|(_, time)| time.trim().parse().ok());
            return None;
        }
        let change = line.strip_prefix("lavfi.photosensitivity.frame-badness=")?;
        Some((time?, change.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strobe(change: f64) -> String {
        let frames = (0..60).map(|n| {
            let time = f64::from(n) / 30.0;
            let change = if n % 3 == 0 { change } else { 0.01 };
            let header = format!("frame:{n} pts:{n} pts_time:{time}");
            [header, format!("lavfi.photosensitivity.frame-badness={change}")].join("\n")
        });
        frames.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_stretch_without_an_end_lasts_to_the_end() {
        let text = "lavfi.black_start=0\nlavfi.black_end=1.5\nlavfi.black_start=8\n";
        let black = Observations::parse(text, "", 10.0).black;
        assert_eq!(black, [TimeSpan { start: 0.0, end: 1.5 }, TimeSpan { start: 8.0, end: 10.0 }]);
    }

    #[test]
    fn silence_is_read_only_from_the_audio_detectors() {
        let observations = Observations::parse("", "lavfi.silence_start=2\nlavfi.silence_end=4", 10.0);
        assert_eq!(observations.silent, [TimeSpan { start: 2.0, end: 4.0 }]);
        assert_eq!(Observations::parse("lavfi.silence_start=2", "", 10.0).silent, []);
    }

    #[test]
    fn repeated_flashes_form_one_dangerous_stretch_and_calm_pictures_none() {
        assert_eq!(Observations::parse(&strobe(0.9), "", 2.0).flashing.len(), 1);
        assert_eq!(Observations::parse(&strobe(0.02), "", 2.0).flashing, []);
    }

    #[test]
    fn the_first_frame_is_not_a_flash() {
        let text = "frame:0 pts:0 pts_time:0\nlavfi.photosensitivity.frame-badness=5\n";
        assert_eq!(Observations::parse(text, "", 2.0).flashing, []);
    }

    #[test]
    fn every_frame_is_counted_and_a_title_that_looks_like_a_frame_is_not() {
        assert_eq!(count_frames(&strobe(0.9)), 60);
        assert_eq!(count_frames("frame:0 pts:0 pts_time:0\ncomment=a\nframe:\n"), 0);
    }

    #[test]
    fn nonsense_gives_no_observations() {
        assert_eq!(Observations::parse("a=b\n=\nframe:x", "\u{0}", 2.0), Observations::default());
    }
}
