//! Loudness, and the gain that brings it to the service's target without clipping and without raising noise.
//!
//! Pure: it starts no process.

/// The sample rate of all sound that is filtered or encoded, in Hz.
pub(crate) const SAMPLE_RATE: u32 = 48_000;

/// The loudness that the large services use, so that viewers need not change the volume.
const TARGET_LUFS: f64 = -14.0;

/// The tolerated deviation from the target, which is inaudible.
const TOLERANCE_LU: f64 = 1.0;

/// The maximum true peak of the outputs, which includes peaks between samples.
const PEAK_DBTP: f64 = -1.0;

/// AAC changes the waveform slightly and may raise its peaks. The difference to [`PEAK_DBTP`] is the margin for that.
const PEAK_BEFORE_ENCODING_DBTP: f64 = -2.0;

/// Sound below this loudness is only noise and hiss, and is not amplified.
const SILENCE_LUFS: f64 = -50.0;

/// The maximum gain. A higher one would raise the noise of a quiet recording too much.
const MAX_GAIN_DB: f64 = 9.0;

/// A measured loudness. Silence is minus infinity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loudness {
    pub integrated_lufs: f64,
    pub true_peak_dbtp: f64,
}

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    pub db: f64,
    /// Whether a limiter holds down the peaks, because the gain alone would clip them.
    pub limited: bool,
}

impl Loudness {
    /// Parses the summary that the `ebur128` filter prints at its end.
    pub(super) fn parse_summary<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Self> {
        let (mut integrated, mut peak) = (None, None);
        for line in lines {
            let mut words = line.split_whitespace().skip_while(|word| word.starts_with('['));
            match (words.next(), words.next().map(str::parse::<f64>)) {
                (Some("I:"), Some(Ok(value))) => integrated = Some(value),
                (Some("Peak:"), Some(Ok(value))) => peak = Some(value),
                _ => {}
            }
        }
        Some(Self { integrated_lufs: integrated?, true_peak_dbtp: peak? })
    }

    /// Whether the sound can be kept as it is.
    pub(crate) fn is_on_target(&self) -> bool {
        (self.integrated_lufs - TARGET_LUFS).abs() <= TOLERANCE_LU && self.true_peak_dbtp <= PEAK_DBTP
    }

    /// Returns the intended loudness of the outputs of this source.
    pub(crate) fn target_lufs(&self) -> f64 {
        self.integrated_lufs + self.gain_to_target().db
    }

    /// Returns the gain to the target, and whether it needs a limiter.
    pub(crate) fn gain_to_target(&self) -> Gain {
        let difference = TARGET_LUFS - self.integrated_lufs;
        let db = if self.integrated_lufs < SILENCE_LUFS { 0.0 } else { difference.min(MAX_GAIN_DB) };
        let limited = self.true_peak_dbtp + db > PEAK_BEFORE_ENCODING_DBTP;
        Gain { db, limited }
    }
}

impl Gain {
    /// Returns the gain to try next, from earlier trials (gain, resulting loudness) that show how much the limiter
    /// takes back.
    ///
    /// Follows the line through the last two trials, which is never steeper than the gain itself.
    pub(crate) fn next_trial_db(trials: &[(f64, f64)], target_lufs: f64) -> Option<f64> {
        let (db, lufs) = *trials.last()?;
        let slope = match trials {
            [.., (previous_db, previous_lufs), _] if (db - previous_db).abs() > 0.01 => {
                (lufs - previous_lufs) / (db - previous_db)
            }
            _ => 1.0,
        };
        Some(db + ((target_lufs - lufs) / slope.clamp(0.25, 1.0)).clamp(-6.0, 9.0))
    }

    /// ffmpeg's filters for this gain. The limiter works at four times the sample rate, so that it sees the peaks
    /// between samples.
    pub(crate) fn filters(&self) -> String {
        let gain = format!("volume={:.2}dB:precision=float", self.db);
        if self.limited {
            let ceiling = 10_f64.powf(PEAK_BEFORE_ENCODING_DBTP / 20.0);
            let fine = 4 * SAMPLE_RATE;
            format!(
                "{gain},aresample={fine},alimiter=limit={ceiling:.4}:attack=5:release=50:level=disabled,\
                 aresample={SAMPLE_RATE}"
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
        Loudness { integrated_lufs, true_peak_dbtp }
    }

    proptest! {
        #[test]
        fn sound_louder_than_a_whisper_reaches_the_target(lufs in -23.0..0.0_f64) {
            prop_assert!((loudness(lufs, -1.0).target_lufs() - TARGET_LUFS).abs() < 1e-9);
        }

        #[test]
        fn a_gain_without_a_limiter_never_peaks_too_high(lufs in -70.0..0.0_f64, peak in -60.0..3.0_f64) {
            let gain = loudness(lufs, peak).gain_to_target();
            prop_assert!(gain.limited || peak + gain.db <= PEAK_DBTP);
        }

        #[test]
        fn no_gain_exceeds_the_maximum(lufs in -70.0..0.0_f64) {
            prop_assert!(loudness(lufs, -60.0).gain_to_target().db <= MAX_GAIN_DB);
        }
    }

    #[test]
    fn trials_converge_on_the_target_through_a_limiter_that_takes_half_back() {
        let limited = |db: f64| {
            if db < 4.0 { -20.0 + db } else { -18.0 + db / 2.0 }
        };
        let mut trials = vec![(6.0, limited(6.0))];
        for _ in 0..3 {
            let db = Gain::next_trial_db(&trials, TARGET_LUFS).unwrap();
            trials.push((db, limited(db)));
        }
        assert!((trials.last().unwrap().1 - TARGET_LUFS).abs() < 0.1, "{trials:?}");
    }

    #[test]
    fn silence_is_not_amplified() {
        for lufs in [f64::NEG_INFINITY, -70.0, -51.0] {
            let gain = loudness(lufs, f64::NEG_INFINITY).gain_to_target();
            assert_eq!(gain, Gain { db: 0.0, limited: false });
        }
    }

    #[test]
    fn the_meter_s_summary_is_parsed() {
        let lines = [
            "[Parsed_ebur128_0 @ 0x1] [info] Summary:",
            "[info]     I:         -21.8 LUFS",
            "[info]   Peak:       -17.7 dBFS",
        ];
        assert_eq!(Loudness::parse_summary(lines.into_iter()), Some(loudness(-21.8, -17.7)));
        let silence = ["    I:  -70.0 LUFS", "    Peak:   -inf dBFS"];
        assert_eq!(Loudness::parse_summary(silence.into_iter()), Some(loudness(-70.0, f64::NEG_INFINITY)));
    }
}
