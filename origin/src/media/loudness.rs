//! How loud a source is, and what brings it to the service's loudness without clipping and without raising noise.
//!
//! Pure decisions. Measuring is elsewhere.

/// What the big services play at; viewers never reach for the volume.
pub const TARGET_LUFS: f64 = -14.0;

/// Nearer than this nobody hears a difference.
pub const TOLERANCE_LU: f64 = 1.0;

/// What the outputs may peak at, between samples as well.
pub const PEAK_DBTP: f64 = -1.0;

/// AAC changes the wave a little and may add to its peaks; this is left for it.
const PEAK_BEFORE_ENCODING_DBTP: f64 = -2.0;

/// Below this there is only noise and hiss: it stays as quiet as it is.
const SILENCE_LUFS: f64 = -50.0;

/// A whisper is raised so far and no further: the noise below it comes along.
const MOST_GAIN_DB: f64 = 20.0;

/// What a measurement tells; silence is minus infinity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loudness {
    pub integrated_lufs: f64,
    pub true_peak_dbtp: f64,
}

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correction {
    pub gain_db: f64,
    /// Whether peaks must be held down, because the gain alone would clip them.
    pub limited: bool,
}

impl Loudness {
    /// Reads the summary that the `ebur128` filter prints at its end.
    pub fn parse_summary<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Self> {
        let (mut integrated, mut peak) = (None, None);
        for line in lines {
            let mut words = line
                .split_whitespace()
                .skip_while(|word| word.starts_with('['));
            match (words.next(), words.next().map(str::parse::<f64>)) {
                (Some("I:"), Some(Ok(value))) => integrated = Some(value),
                (Some("Peak:"), Some(Ok(value))) => peak = Some(value),
                _ => {}
            }
        }
        Some(Self {
            integrated_lufs: integrated?,
            true_peak_dbtp: peak?,
        })
    }

    pub fn is_right(&self) -> bool {
        (self.integrated_lufs - TARGET_LUFS).abs() <= TOLERANCE_LU
            && self.true_peak_dbtp <= PEAK_DBTP
    }

    /// How loud the outputs of this source are meant to be.
    pub fn goal(&self) -> f64 {
        self.integrated_lufs + self.correction().gain_db
    }

    /// The gain to the target, and whether it needs a limiter.
    pub fn correction(&self) -> Correction {
        let wanted = TARGET_LUFS - self.integrated_lufs;
        let gain_db = if self.integrated_lufs < SILENCE_LUFS {
            0.0
        } else {
            wanted.min(MOST_GAIN_DB)
        };
        let limited = self.true_peak_dbtp + gain_db > PEAK_BEFORE_ENCODING_DBTP;
        Correction { gain_db, limited }
    }
}

impl Correction {
    /// The gain to try next, after measurements (gain and what came of it) have shown how much the limiter takes back:
    /// along the line through the last two, which is never steeper than the gain itself.
    pub fn next_gain(measured: &[(f64, f64)], goal: f64) -> Option<f64> {
        let (gain, lufs) = *measured.last()?;
        let slope = match measured {
            [.., (before, then), _] if (gain - before).abs() > 0.01 => {
                (lufs - then) / (gain - before)
            }
            _ => 1.0,
        };
        Some(gain + ((goal - lufs) / slope.clamp(0.25, 1.0)).clamp(-6.0, 9.0))
    }

    /// As filters. The limiter works at four times the rate, so that it sees the peaks between samples.
    pub fn filters(&self) -> String {
        let gain = format!("volume={:.2}dB:precision=float", self.gain_db);
        if self.limited {
            let ceiling = 10_f64.powf(PEAK_BEFORE_ENCODING_DBTP / 20.0);
            format!(
                "{gain},aresample=192000,alimiter=limit={ceiling:.4}:attack=5:release=50:level=disabled,aresample=48000"
            )
        } else {
            gain
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn loudness(integrated_lufs: f64, true_peak_dbtp: f64) -> Loudness {
        Loudness {
            integrated_lufs,
            true_peak_dbtp,
        }
    }

    proptest! {
        #[test]
        fn sound_that_is_no_whisper_comes_to_the_target(lufs in -34.0..0.0_f64) {
            prop_assert!((loudness(lufs, -1.0).goal() - TARGET_LUFS).abs() < 1e-9);
        }

        #[test]
        fn without_a_limiter_nothing_peaks_too_high(lufs in -70.0..0.0_f64, peak in -60.0..3.0_f64) {
            let correction = loudness(lufs, peak).correction();
            prop_assert!(correction.limited || peak + correction.gain_db <= PEAK_DBTP);
        }

        #[test]
        fn nothing_is_raised_by_more_than_the_most(lufs in -70.0..0.0_f64) {
            prop_assert!(loudness(lufs, -60.0).correction().gain_db <= MOST_GAIN_DB);
        }
    }

    #[test]
    fn the_gain_closes_in_on_the_goal_through_a_limiter_that_takes_half_back() {
        let limited = |gain: f64| {
            if gain < 4.0 {
                -20.0 + gain
            } else {
                -18.0 + gain / 2.0
            }
        };
        let mut measured = vec![(6.0, limited(6.0))];
        for _ in 0..3 {
            let gain = Correction::next_gain(&measured, TARGET_LUFS).unwrap();
            measured.push((gain, limited(gain)));
        }
        assert!(
            (measured.last().unwrap().1 - TARGET_LUFS).abs() < 0.1,
            "{measured:?}"
        );
    }

    #[test]
    fn silence_is_not_amplified_into_noise() {
        for lufs in [f64::NEG_INFINITY, -70.0, -51.0] {
            let correction = loudness(lufs, f64::NEG_INFINITY).correction();
            assert_eq!(
                correction,
                Correction {
                    gain_db: 0.0,
                    limited: false
                }
            );
        }
    }

    #[test]
    fn the_summary_of_the_meter_is_read() {
        let lines = [
            "[Parsed_ebur128_0 @ 0x1] [info] Summary:",
            "[info]     I:         -21.8 LUFS",
            "[info]   Peak:       -17.7 dBFS",
        ];
        let read = Loudness::parse_summary(lines.into_iter());
        assert_eq!(read, Some(loudness(-21.8, -17.7)));
        let silent = ["    I:  -70.0 LUFS", "    Peak:   -inf dBFS"];
        let read = Loudness::parse_summary(silent.into_iter());
        assert_eq!(read, Some(loudness(-70.0, f64::NEG_INFINITY)));
    }
}
