//! Frames per second as a fraction, and which constant rate the outputs of a source get.
//!
//! Pure arithmetic. Knows nothing of ffmpeg but how it writes a rate.

use std::fmt;

/// Faster than this nobody sees a difference, and it doubles the cost.
pub const FASTEST: f64 = 60.0;

/// A still picture shown for a minute is one frame; a seekable stream needs some.
const SLOWEST: Rate = Rate { num: 1, den: 1 };

/// Rates that recorders mean when they measure something close to them.
const STANDARD: [Rate; 9] = [
    Rate {
        num: 24_000,
        den: 1001,
    },
    Rate { num: 24, den: 1 },
    Rate { num: 25, den: 1 },
    Rate {
        num: 30_000,
        den: 1001,
    },
    Rate { num: 30, den: 1 },
    Rate { num: 48, den: 1 },
    Rate { num: 50, den: 1 },
    Rate {
        num: 60_000,
        den: 1001,
    },
    Rate { num: 60, den: 1 },
];

/// A frame rate, as ffmpeg writes it: `30000/1001`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    num: u32,
    den: u32,
}

impl Rate {
    pub fn new(num: u32, den: u32) -> Option<Self> {
        (num > 0 && den > 0).then_some(Self { num, den })
    }

    /// Parses `30000/1001`; `0/0` is no rate.
    pub fn parse(text: &str) -> Option<Self> {
        let (num, den) = text.split_once('/')?;
        Self::new(num.parse().ok()?, den.parse().ok()?)
    }

    pub fn per_second(self) -> f64 {
        f64::from(self.num) / f64::from(self.den)
    }

    /// How long one frame stays.
    pub fn frame_seconds(self) -> f64 {
        f64::from(self.den) / f64::from(self.num)
    }

    /// When a frame is shown first, in milliseconds.
    pub fn ms_at(self, frame: u64) -> u64 {
        let (num, den) = (u64::from(self.num), u64::from(self.den));
        let ms = frame.saturating_mul(den).saturating_mul(1000);
        ms.saturating_add(num / 2) / num
    }

    /// How many frames fill this time, to the nearest.
    pub fn frames_in(self, seconds: f64) -> u64 {
        whole((seconds * self.per_second()).round())
    }

    /// The frame that is on the screen at this time. A time that is a frame's start up to rounding shows that frame.
    pub fn frame_at(self, seconds: f64) -> u64 {
        whole((seconds * self.per_second() + 1e-3).floor())
    }

    /// The constant rate for the outputs: the source's own where it is one that players know, and at most 60.
    pub fn for_output(declared: Option<Self>, typical_fps: f64) -> Self {
        let fps = typical_fps.min(FASTEST);
        let near = |rate: &&Self| (rate.per_second() - fps).abs() <= fps * 0.004;
        let closest = STANDARD.iter().filter(near).min_by(|a, b| {
            let off = |rate: &Self| (rate.per_second() - fps).abs();
            off(a).total_cmp(&off(b))
        });
        let own = declared.filter(|rate| near(&rate) && rate.per_second() <= FASTEST);
        closest
            .copied()
            .or(own)
            .or_else(|| Self::of(fps))
            .filter(|rate| rate.per_second() >= 1.0)
            .unwrap_or(SLOWEST)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of a float saturates"
    )]
    fn of(fps: f64) -> Option<Self> {
        Self::new((fps * 1000.0).round() as u32, 1000)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.num, self.den)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and a count of frames has no sign"
)]
fn whole(frames: f64) -> u64 {
    frames as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn output(fps: f64) -> Rate {
        Rate::for_output(None, fps)
    }

    proptest! {
        #[test]
        fn no_output_is_faster_than_sixty_or_slower_than_one(fps in 0.0..100_000.0_f64) {
            let rate = output(fps).per_second();
            prop_assert!((1.0..=60.0).contains(&rate), "{rate}");
        }

        #[test]
        fn an_output_is_as_fast_as_its_source_where_that_is_allowed(fps in 1.0..60.0_f64) {
            prop_assert!((output(fps).per_second() - fps).abs() <= fps * 0.004);
        }

        #[test]
        fn the_frame_at_its_own_start_is_that_frame(n in 0_u32..7200, index in 0..STANDARD.len()) {
            let rate = STANDARD[index];
            prop_assert_eq!(rate.frame_at(f64::from(n) * rate.frame_seconds()), u64::from(n));
        }
    }

    #[test]
    fn a_rate_close_to_a_standard_one_is_that_one() {
        assert_eq!(output(29.968).to_string(), "30000/1001");
        assert_eq!(output(29.9999).to_string(), "30/1");
        assert_eq!(output(1000.0).to_string(), "60/1");
        assert_eq!(output(12.5).to_string(), "12500/1000");
    }

    #[test]
    fn a_fraction_without_a_value_is_no_rate() {
        assert_eq!(Rate::parse("0/0"), None);
        assert_eq!(Rate::parse("30"), None);
        assert_eq!(Rate::parse("30/1"), Rate::new(30, 1));
    }
}
