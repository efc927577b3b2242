//! Frame rates as fractions, and the choice of the constant rate for the outputs.
//!
//! Pure arithmetic, and the parsing of a rate as ffmpeg writes it.

use std::fmt;

/// A faster output looks the same and costs twice as much.
const FASTEST: f64 = 60.0;

/// A still picture shown for a minute may be a single frame, but a seekable stream needs several.
const SLOWEST: FrameRate = FrameRate { num: 1, den: 1 };

/// The rates that recorders aim for. A measured rate close to one of these is rounded to it.
const STANDARD: [FrameRate; 9] = [
    FrameRate { num: 24_000, den: 1001 },
    FrameRate { num: 24, den: 1 },
    FrameRate { num: 25, den: 1 },
    FrameRate { num: 30_000, den: 1001 },
    FrameRate { num: 30, den: 1 },
    FrameRate { num: 48, den: 1 },
    FrameRate { num: 50, den: 1 },
    FrameRate { num: 60_000, den: 1001 },
    FrameRate { num: 60, den: 1 },
];

/// A frame rate; ffmpeg writes it as `30000/1001`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRate {
    num: u32,
    den: u32,
}

impl FrameRate {
    pub fn new(num: u32, den: u32) -> Option<Self> {
        (num > 0 && den > 0).then_some(Self { num, den })
    }

    /// Parses `30000/1001`; `0/0` is not a rate.
    pub fn parse(text: &str) -> Option<Self> {
        let (num, den) = text.split_once('/')?;
        Self::new(num.parse().ok()?, den.parse().ok()?)
    }

    pub fn per_second(self) -> f64 {
        f64::from(self.num) / f64::from(self.den)
    }

    /// Returns how long one frame is shown.
    pub fn frame_seconds(self) -> f64 {
        f64::from(self.den) / f64::from(self.num)
    }

    /// Returns the time at which a frame appears, in milliseconds.
    pub fn ms_at(self, frame: u64) -> u64 {
        let (num, den) = (u64::from(self.num), u64::from(self.den));
        let ms = frame.saturating_mul(den).saturating_mul(1000);
        ms.saturating_add(num / 2) / num
    }

    /// Returns the time at which a frame appears, in seconds.
    #[expect(clippy::cast_precision_loss, reason = "numbers of frames are far below 2^53")]
    pub fn seconds_at(self, frame: u64) -> f64 {
        frame as f64 * f64::from(self.den) / f64::from(self.num)
    }

    /// Returns the number of frames in this time, to the nearest frame.
    pub fn frames_in(self, seconds: f64) -> u64 {
        whole_frames((seconds * self.per_second()).round())
    }

    /// Returns the frame on screen at this time. A time that equals a frame's start up to rounding belongs to that
    /// frame.
    pub fn frame_at(self, seconds: f64) -> u64 {
        whole_frames((seconds * self.per_second() + 1e-3).floor())
    }

    /// Returns a step of at least `min_seconds` that selects at most `max_frames` of a video with `frame_count` frames.
    pub(super) fn frame_step(self, min_seconds: f64, max_frames: u64, frame_count: u64) -> u64 {
        self.frames_in(min_seconds).max(frame_count.div_ceil(max_frames)).max(1)
    }

    /// Returns the constant rate for the outputs: the standard rate closest to the measured one; if none is close, the
    /// declared rate if that is close; otherwise the measured rate. At least 1 and at most 60.
    pub fn for_output(declared: Option<Self>, typical_fps: f64) -> Self {
        let fps = typical_fps.min(FASTEST);
        let near = |rate: &&Self| (rate.per_second() - fps).abs() <= fps * 0.004;
        let closest = STANDARD.iter().filter(near).min_by(|a, b| {
            let distance = |rate: &Self| (rate.per_second() - fps).abs();
            distance(a).total_cmp(&distance(b))
        });
        let declared = declared.filter(|rate| near(&rate) && rate.per_second() <= FASTEST);
        closest
            .copied()
            .or(declared)
            .or_else(|| Self::from_fps(fps))
            .filter(|rate| rate.per_second() >= 1.0)
            .unwrap_or(SLOWEST)
    }

    /// Returns the rate for a video whose frames come irregularly and at most this fast: the next standard rate, so
    /// that no frame of a burst is lost.
    pub(super) fn for_bursts(fastest_fps: f64) -> Self {
        let is_enough = |rate: &&Self| rate.per_second() >= fastest_fps.min(FASTEST) * 0.97;
        STANDARD.iter().find(is_enough).copied().unwrap_or(Self { num: 60, den: 1 })
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
    fn from_fps(fps: f64) -> Option<Self> {
        Self::new((fps * 1000.0).round() as u32, 1000)
    }
}

impl fmt::Display for FrameRate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.num, self.den)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and a count of frames has no sign"
)]
fn whole_frames(frames: f64) -> u64 {
    frames as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn output(fps: f64) -> FrameRate {
        FrameRate::for_output(None, fps)
    }

    proptest! {
        #[test]
        fn output_rates_lie_between_one_and_sixty(fps in 0.0..100_000.0_f64) {
            let rate = output(fps).per_second();
            prop_assert!((1.0..=60.0).contains(&rate), "{rate}");
        }

        #[test]
        fn an_allowed_source_rate_is_kept(fps in 1.0..60.0_f64) {
            prop_assert!((output(fps).per_second() - fps).abs() <= fps * 0.004);
        }

        #[test]
        fn the_frame_at_the_start_of_frame_n_is_n(n in 0_u32..7200, index in 0..STANDARD.len()) {
            let rate = STANDARD[index];
            prop_assert_eq!(rate.frame_at(f64::from(n) * rate.frame_seconds()), u64::from(n));
        }
    }

    #[test]
    fn a_rate_close_to_a_standard_rate_becomes_that_rate() {
        assert_eq!(output(29.968).to_string(), "30000/1001");
        assert_eq!(output(29.9999).to_string(), "30/1");
        assert_eq!(output(1000.0).to_string(), "60/1");
        assert_eq!(output(12.5).to_string(), "12500/1000");
    }

    #[test]
    fn a_burst_gets_the_next_standard_rate() {
        assert_eq!(FrameRate::for_bursts(58.8).to_string(), "60000/1001");
        assert_eq!(FrameRate::for_bursts(31.0).to_string(), "48/1");
        assert_eq!(FrameRate::for_bursts(240.0).to_string(), "60000/1001");
    }

    #[test]
    fn a_fraction_without_a_value_is_not_a_rate() {
        assert_eq!(FrameRate::parse("0/0"), None);
        assert_eq!(FrameRate::parse("30"), None);
        assert_eq!(FrameRate::parse("30/1"), FrameRate::new(30, 1));
    }
}
