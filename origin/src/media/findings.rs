//! What the detectors saw, read from the files that they wrote: information for moderation, no verdict.
//!
//! Pure parsing; a line that makes no sense is passed over, because a detector's silence is no reason to fail a job.

use std::collections::VecDeque;

/// Stretches of time in which something is the matter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    pub black: Vec<Span>,
    pub frozen: Vec<Span>,
    pub silent: Vec<Span>,
    /// Flashes that may harm people with photosensitive epilepsy.
    pub flashing: Vec<Span>,
}

/// From one second to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub start: f64,
    pub end: f64,
}

impl Findings {
    /// Reads both files; what has no end lasts to the end of the video.
    pub(super) fn parse(video: &str, audio: &str, duration: f64) -> Self {
        Self {
            black: spans(video, "lavfi.black_start", "lavfi.black_end", duration),
            frozen: spans(
                video,
                "lavfi.freezedetect.freeze_start",
                "lavfi.freezedetect.freeze_end",
                duration,
            ),
            silent: spans(audio, "lavfi.silence_start", "lavfi.silence_end", duration),
            flashing: flashing(video),
        }
    }
}

/// How many frames the detectors of the picture tell of: each of them has a line, whatever was seen in it.
pub(super) fn frames_seen(video: &str) -> u64 {
    frames(video).count() as u64
}

fn spans(text: &str, starts: &str, ends: &str, duration: f64) -> Vec<Span> {
    let (mut found, mut open) = (Vec::new(), None);
    for (key, value) in entries(text) {
        if key == starts {
            open = Some(value);
        } else if key == ends {
            found.extend(open.take().map(|start| Span { start, end: value }));
        }
    }
    found.extend(open.map(|start| Span {
        start,
        end: duration,
    }));
    found
}

fn entries(text: &str) -> impl Iterator<Item = (&str, f64)> {
    text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        Some((key, value.parse().ok()?))
    })
}

/// Adds up the change from frame to frame over a second, older frames counting less; at one it is a danger.
///
/// The filter's own sum begins with the step from nothing to the first frame, and so with a false alarm.
fn flashing(text: &str) -> Vec<Span> {
    let mut window = VecDeque::new();
    let mut found: Vec<Span> = Vec::new();
    for (time, change) in frames(text).skip(1) {
        window.push_back((time, change));
        while window.front().is_some_and(|(first, _)| time - first >= 1.0) {
            window.pop_front();
        }
        let danger: f64 = window
            .iter()
            .map(|(then, change)| change * (1.0 - (time - then)))
            .sum();
        if danger >= 1.0 {
            match found.last_mut() {
                Some(last) if time - last.end < 1.0 => last.end = time,
                _ => found.push(Span {
                    start: time,
                    end: time,
                }),
            }
        }
    }
    found
}

/// Time and change of each frame.
fn frames(text: &str) -> impl Iterator<Item = (f64, f64)> {
    let mut time = None;
    text.lines().filter_map(move |line| {
        if line.starts_with("frame:") {
            time = line
                .split_once("pts_time:")
                .and_then(|(_, time)| time.trim().parse().ok());
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
            [
                header,
                format!("lavfi.photosensitivity.frame-badness={change}"),
            ]
            .join("\n")
        });
        frames.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_has_no_end_lasts_to_the_end() {
        let text = "lavfi.black_start=0\nlavfi.black_end=1.5\nlavfi.black_start=8\n";
        let found = Findings::parse(text, "", 10.0).black;
        assert_eq!(
            found,
            [
                Span {
                    start: 0.0,
                    end: 1.5
                },
                Span {
                    start: 8.0,
                    end: 10.0
                }
            ]
        );
    }

    #[test]
    fn silence_is_read_from_the_sound_alone() {
        let found = Findings::parse("", "lavfi.silence_start=2\nlavfi.silence_end=4", 10.0);
        assert_eq!(
            found.silent,
            [Span {
                start: 2.0,
                end: 4.0
            }]
        );
        assert_eq!(
            Findings::parse("lavfi.silence_start=2", "", 10.0).silent,
            []
        );
    }

    #[test]
    fn repeated_flashes_are_one_danger_and_calm_pictures_none() {
        assert_eq!(Findings::parse(&strobe(0.9), "", 2.0).flashing.len(), 1);
        assert_eq!(Findings::parse(&strobe(0.02), "", 2.0).flashing, []);
    }

    #[test]
    fn the_first_frame_is_no_flash() {
        let text = "frame:0 pts:0 pts_time:0\nlavfi.photosensitivity.frame-badness=5\n";
        assert_eq!(Findings::parse(text, "", 2.0).flashing, []);
    }

    #[test]
    fn each_frame_is_counted_and_a_title_that_looks_like_one_is_not() {
        assert_eq!(frames_seen(&strobe(0.9)), 60);
        assert_eq!(
            frames_seen("frame:0 pts:0 pts_time:0\ncomment=a\nframe:\n"),
            0
        );
    }

    #[test]
    fn nonsense_finds_nothing() {
        assert_eq!(
            Findings::parse("a=b\n=\nframe:x", "\u{0}", 2.0),
            Findings::default()
        );
    }
}
