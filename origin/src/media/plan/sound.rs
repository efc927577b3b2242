//! Decides how the sound reaches the target loudness.
//!
//! Measures first and corrects later, instead of using one filter that does both at once: the sound is only turned up
//! or down as a whole, which preserves the dynamics of the source. The measurements take a hundredth of the encode's
//! time.

use crate::media::source::{Alignment, AudioStream, Gain, Inspection, Loudness, SoundMeter};
use crate::media::{MediaContext, MediaError};

/// The limiter takes back some of the gain. Music needs one or two trials, and only deliberately difficult sound needs
/// all of them.
const MAX_TRIALS: usize = 6;

/// Sound may end this many seconds before the pictures without silence after it. If it ends earlier, Chromium's
/// built-in HLS player and shaka-player stall at its end, because they wait for more sound.
const MAX_EARLY_END_SECONDS: f64 = 0.5;

/// A trial this close to the target ends the search.
const CLOSE_ENOUGH_LU: f64 = 0.4;

/// The processing of the sound.
#[derive(Clone, Debug, PartialEq)]
pub struct SoundPlan {
    pub stream: usize,
    pub treatment: SoundTreatment,
    pub alignment: Alignment,
    /// The end of the sound, with the silence after it, in seconds.
    pub seconds: f64,
    /// If silence follows the sound: the length of both together, in seconds.
    pub padded_seconds: Option<f64>,
    /// The intended loudness of the outputs.
    pub target_lufs: f64,
}

/// Whether the sound is copied or encoded.
#[derive(Clone, Debug, PartialEq)]
pub enum SoundTreatment {
    Copy,
    Encode(Gain),
}

/// Measures the source's sound and decides its treatment. Returns `None` if there is no sound that can be played.
pub fn plan_sound(context: &MediaContext<'_>, inspection: &Inspection) -> Result<Option<SoundPlan>, MediaError> {
    let Some(audio) = &inspection.audio else {
        return Ok(None);
    };
    let meter = SoundMeter::new(context, inspection, audio);
    let Some(loudness) = meter.measure(None)? else {
        return Ok(None);
    };
    let target_lufs = loudness.target_lufs();
    let padded_seconds = padded_seconds(audio, inspection.video.end);
    let can_copy = padded_seconds.is_none() && can_copy(inspection, audio);
    let treatment = if loudness.is_on_target() && can_copy {
        SoundTreatment::Copy
    } else {
        let gain = refine(loudness.gain_to_target(), target_lufs, |gain| meter.measure(Some(gain)))?;
        SoundTreatment::Encode(gain)
    };
    Ok(Some(SoundPlan {
        stream: audio.stream,
        treatment,
        alignment: audio.alignment(),
        seconds: if padded_seconds.is_some() { inspection.video.end } else { audio.end },
        padded_seconds,
        target_lufs,
    }))
}

/// Returns the length of the sound with silence until the pictures end, or `None` if it needs no silence.
fn padded_seconds(audio: &AudioStream, pictures_end: f64) -> Option<f64> {
    let start = if audio.alignment() == Alignment::Unnecessary { audio.start } else { 0.0 };
    (pictures_end - audio.end > MAX_EARLY_END_SECONDS).then_some(pictures_end - start)
}

/// Tries gains until the limiter's output is loud enough, and returns the best of them.
fn refine(
    gain: Gain,
    target_lufs: f64,
    measure: impl Fn(&Gain) -> Result<Option<Loudness>, MediaError>,
) -> Result<Gain, MediaError> {
    let mut trials = Vec::new();
    let mut next = gain;
    while gain.limited && trials.len() < MAX_TRIALS {
        let Some(loudness) = measure(&next)? else {
            break;
        };
        trials.push((next.db, loudness.integrated_lufs));
        if (loudness.integrated_lufs - target_lufs).abs() < CLOSE_ENOUGH_LU {
            break;
        }
        next.db = Gain::next_trial_db(&trials, target_lufs).unwrap_or(next.db);
    }
    let deviation = |(_, lufs): &(f64, f64)| (lufs - target_lufs).abs();
    let best = trials.iter().min_by(|a, b| deviation(a).total_cmp(&deviation(b)));
    Ok(Gain { db: best.map_or(gain.db, |(db, _)| *db), ..gain })
}

/// Whether the source's packets already have the format of the outputs.
fn can_copy(inspection: &Inspection, audio: &AudioStream) -> bool {
    use probe::Container::{Mp4, Quicktime};
    matches!(inspection.container, Mp4 | Quicktime)
        && (audio.codec.as_str(), audio.profile.as_str()) == ("aac", "LC")
        && audio.channels == 2
        && matches!(audio.sample_rate, 44_100 | 48_000)
        && audio.start.abs() < 0.03
}

#[cfg(test)]
pub(crate) mod examples {
    use super::*;

    /// Returns the plan of sound that is copied and as long as the pictures of `plain_inspection`.
    pub(crate) fn copied_sound() -> SoundPlan {
        SoundPlan {
            stream: 1,
            treatment: SoundTreatment::Copy,
            alignment: Alignment::Unnecessary,
            seconds: 10.0,
            padded_seconds: None,
            target_lufs: -14.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAIN: Gain = Gain { db: 6.0, limited: true };

    /// Refines the gain through a limiter that lets sound become no louder than `ceiling`; returns it with the trials.
    fn refine_below(ceiling: f64) -> (Gain, u32) {
        let trials = std::cell::Cell::new(0);
        let gain = refine(GAIN, -14.0, |gain| {
            trials.set(trials.get() + 1);
            Ok(Some(Loudness { integrated_lufs: (gain.db - 21.0).min(ceiling), true_peak_dbtp: -2.0 }))
        });
        (gain.unwrap(), trials.get())
    }

    #[test]
    fn trials_end_when_one_is_close_enough() {
        let (gain, trials) = refine_below(0.0);
        assert!((gain.db - 7.0).abs() < 1e-9 && gain.limited, "{gain:?}");
        assert_eq!(trials, 2);
    }

    #[test]
    fn an_unreachable_target_costs_a_bounded_number_of_trials() {
        let (gain, trials) = refine_below(-15.0);
        assert_eq!(trials, 6);
        assert!((gain.db - 6.0).abs() < 1e-9, "the first of equally good gains is used: {gain:?}");
    }

    #[test]
    fn silence_follows_sound_that_ends_long_before_the_pictures() {
        let padded = |start, end| {
            let (codec, profile) = ("aac".into(), "LC".into());
            let audio = AudioStream { stream: 1, codec, profile, channels: 2, sample_rate: 48_000, start, end };
            padded_seconds(&audio, 10.0)
        };
        assert_eq!((padded(0.0, 12.0), padded(0.0, 9.5)), (None, None));
        assert_eq!((padded(0.03, 9.4), padded(2.0, 9.4), padded(-1.0, 9.4)), (Some(9.97), Some(10.0), Some(10.0)));
    }

    #[test]
    fn a_gain_without_a_limiter_needs_no_trial() {
        let gain = Gain { limited: false, ..GAIN };
        assert_eq!(refine(gain, -14.0, |_| unreachable!("no measurement is needed")).unwrap(), gain);
    }
}
