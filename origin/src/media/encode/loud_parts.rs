//! Finds the parts of a video that are suddenly much louder than the rest. Pure.
//!
//! They are compared with the typical loudness of the video itself, because that is what viewers set their volume for:
//! speech after silence is not loud, a scream after whispering is.

use super::time_span::TimeSpan;

/// Sound below this loudness is silence and does not count as typical. ITU-R BS.1770 has the same limit.
const SILENCE_LUFS: f64 = -70.0;

/// The excess over the typical loudness from which a part is loud. Films and music mostly stay below it.
const EXCESS_LU: f64 = 15.0;

/// The interval of the measurements, each of which covers the last `WINDOW` seconds.
const INTERVAL: f64 = 0.1;
const WINDOW: f64 = 0.4;

/// The loudness of the `WINDOW` seconds that end `INTERVAL` after a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MomentaryLoudness {
    pub(super) at: f64,
    pub(super) lufs: f64,
}

/// Returns the loud parts of a video. The measurements must be in the order of their times.
pub(super) fn find(measured: &[MomentaryLoudness]) -> Vec<TimeSpan> {
    let Some(limit) = typical_lufs(measured).map(|typical| typical + EXCESS_LU) else {
        return Vec::new();
    };
    let runs = measured.chunk_by(|one, next| (one.lufs > limit) == (next.lufs > limit));
    runs.filter(|run| run.iter().all(|moment| moment.lufs > limit)).filter_map(span).collect()
}

/// Returns the median of what is not silent.
fn typical_lufs(measured: &[MomentaryLoudness]) -> Option<f64> {
    let audible = measured.iter().map(|moment| moment.lufs).filter(|lufs| *lufs > SILENCE_LUFS);
    let mut audible: Vec<_> = audible.collect();
    audible.sort_by(f64::total_cmp);
    audible.get(audible.len() / 2).copied()
}

/// Returns the part in which these measurements are loud. The last ones still cover what was loud before.
fn span(run: &[MomentaryLoudness]) -> Option<TimeSpan> {
    let (start, last) = (run.first()?.at, run.last()?.at);
    Some(TimeSpan { start, end: (last + INTERVAL - WINDOW).max(start) + INTERVAL })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn measured(levels: &[f64]) -> Vec<MomentaryLoudness> {
        let moment = |(index, lufs): (u32, &f64)| MomentaryLoudness { at: f64::from(index) / 10.0, lufs: *lufs };
        (0..).zip(levels).map(moment).collect()
    }

    fn parts(levels: &[(f64, usize)]) -> Vec<(f64, f64)> {
        let levels: Vec<_> = levels.iter().flat_map(|(lufs, count)| vec![*lufs; *count]).collect();
        let round = |seconds: f64| (seconds * 10.0).round() / 10.0;
        find(&measured(&levels)).iter().map(|part| (round(part.start), round(part.end))).collect()
    }

    #[test]
    fn a_scream_after_whispering_is_loud_and_speech_after_silence_is_not() {
        assert_eq!(parts(&[(-40.0, 50), (-12.0, 13), (-40.0, 30)]), [(5.0, 6.0)]);
        assert_eq!(parts(&[(-120.0, 90), (-20.0, 20)]), []);
        assert_eq!(parts(&[(-40.0, 50), (-25.0, 10)]), []);
    }

    #[test]
    fn each_loud_part_is_found_and_even_the_shortest_has_a_length() {
        assert_eq!(parts(&[(-40.0, 50), (-12.0, 1), (-40.0, 30), (-12.0, 5)]), [(5.0, 5.1), (8.1, 8.3)]);
    }

    #[test]
    fn silence_and_nonsense_are_not_loud() {
        assert_eq!(parts(&[]), []);
        assert_eq!(parts(&[(-120.0, 50)]), []);
        assert_eq!(parts(&[(f64::NAN, 50)]), []);
    }

    proptest! {
        #[test]
        fn a_gain_changes_nothing(levels in prop::collection::vec(-60.0..0.0, 1..200), gain in 0.0..20.0) {
            let louder: Vec<_> = levels.iter().map(|level| level + gain).collect();
            prop_assert_eq!(find(&measured(&levels)).len(), find(&measured(&louder)).len());
        }

        #[test]
        fn most_of_a_video_is_never_loud(levels in prop::collection::vec(-60.0..0.0, 1..200)) {
            let measured = measured(&levels);
            // Half an interval less, because 0.2 + 0.1 is more than 0.3.
            let inside = |part: &TimeSpan| part.start..part.end - INTERVAL / 2.0;
            let is_loud = |part| measured.iter().filter(|moment| inside(part).contains(&moment.at)).count();
            let loud: usize = find(&measured).iter().map(is_loud).sum();
            prop_assert!(loud * 2 <= levels.len(), "{} of {}", loud, levels.len());
        }
    }
}
