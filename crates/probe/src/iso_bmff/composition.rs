//! The presentation times of a sample table: `stts` gives each sample's duration, `ctts` how much later it is shown.
//!
//! Both tables consist of runs. Only the last runs of each are kept, because the sample that is shown last is among the
//! last ones stored; all earlier samples are bounded by the latest offset. This module must not depend on boxes.

use std::collections::VecDeque;

/// The number of runs that are kept of each table.
const KEPT: usize = 64;

/// The end of a run-length table.
#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct RunTail {
    /// The number of samples and their value, latest last.
    runs: VecDeque<(u64, i64)>,
    pub(super) samples: u64,
    pub(super) first: Option<i64>,
    pub(super) least: i64,
    pub(super) most: i64,
}

impl RunTail {
    pub(super) fn push(&mut self, count: u64, value: i64) {
        if count == 0 {
            return;
        }
        if self.first.is_none() {
            (self.first, self.least, self.most) = (Some(value), value, value);
        }
        self.least = self.least.min(value);
        self.most = self.most.max(value);
        self.samples = self.samples.saturating_add(count);
        if self.runs.len() == KEPT {
            self.runs.pop_front();
        }
        self.runs.push_back((count, value));
    }

    pub(super) fn forget_runs(&mut self) {
        self.runs = VecDeque::new();
    }

    fn backwards(&self, missing: u64, filler: i64) -> impl Iterator<Item = (u64, i64)> {
        std::iter::once((missing, filler)).chain(self.runs.iter().rev().copied()).filter(|(count, _)| *count > 0)
    }
}

/// Returns when the last of `samples` ends, in ticks. The samples' durations add up to `media`.
pub(super) fn presentation_end(durations: &RunTail, offsets: &RunTail, samples: u64, media: u64) -> i64 {
    let media = i64::try_from(media).unwrap_or(i64::MAX);
    let last_duration = durations.runs.back().map_or(0, |(_, duration)| *duration);
    let mut times = durations.backwards(samples.saturating_sub(durations.samples), last_duration);
    let mut shifts = offsets.backwards(samples.saturating_sub(offsets.samples), 0);
    let (mut time, mut shift) = (times.next(), shifts.next());
    let (mut end, mut latest) = (media, i64::MIN);
    while let (Some((lasting, duration)), Some((shifted, offset))) = (time, shift) {
        latest = latest.max(end.saturating_add(offset));
        let both = lasting.min(shifted);
        end = end.saturating_sub_unsigned(both.saturating_mul(duration.unsigned_abs()));
        time = if lasting > both { Some((lasting - both, duration)) } else { times.next() };
        shift = if shifted > both { Some((shifted - both, offset)) } else { shifts.next() };
    }
    let others = if end > 0 { end.saturating_add(offsets.most) } else { i64::MIN };
    latest.max(others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::wide;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_end_is_that_of_the_sample_that_is_shown_last(
            durations in prop::collection::vec((1_u64..5, 0_i64..50), 1..10),
            offsets in prop::collection::vec((1_u64..5, -60_i64..200), 0..10),
        ) {
            let values = |runs: &[(u64, i64)]| -> Vec<i64> {
                runs.iter().flat_map(|(count, value)| (0..*count).map(|_| *value)).collect()
            };
            let (mut each, mut shifts) = (values(&durations), values(&offsets));
            let samples = each.len().max(shifts.len());
            each.resize(samples, durations.last().unwrap().1);
            shifts.resize(samples, 0);
            let ends: Vec<i64> = (0..samples).map(|index| each[..=index].iter().sum::<i64>()).collect();
            let expected = ends.iter().zip(&shifts).map(|(end, shift)| end + shift).max().unwrap();
            let media = u64::try_from(ends[samples - 1]).unwrap();
            prop_assert_eq!(presentation_end(&tail(&durations), &tail(&offsets), wide(samples), media), expected);
        }
    }

    fn tail(runs: &[(u64, i64)]) -> RunTail {
        let mut tail = RunTail::default();
        for (count, value) in runs {
            tail.push(*count, *value);
        }
        tail
    }

    #[test]
    fn samples_end_after_their_duration_and_offset() {
        let steady = tail(&[(10, 100)]);
        assert_eq!(presentation_end(&steady, &tail(&[]), 10, 1_000), 1_000);
        assert_eq!(presentation_end(&steady, &tail(&[(10, 200)]), 10, 1_000), 1_200);
        let reordered = tail(&[(7, 0), (1, 200), (2, 0)]);
        assert_eq!(presentation_end(&steady, &reordered, 10, 1_000), 1_000, "shown last, stored before two others");
        let late = tail(&[(1, 0), (1, 5_000), (8, 0)]);
        assert_eq!(presentation_end(&steady, &late, 10, 1_000), 5_200, "the second sample is shown last");
    }

    #[test]
    fn samples_without_a_duration_last_as_long_as_the_last_one() {
        assert_eq!(presentation_end(&tail(&[(5, 100)]), &tail(&[(9, 0), (1, 50)]), 10, 1_000), 1_050);
    }

    #[test]
    fn offsets_may_be_negative() {
        assert_eq!(presentation_end(&tail(&[(10, 100)]), &tail(&[(10, -50)]), 10, 1_000), 950);
    }

    #[test]
    fn a_sample_in_the_last_64_runs_is_found_wherever_it_is() {
        let durations = tail(&[(500, 10)]);
        for late in [440, 470, 499] {
            let offsets: Vec<_> = (0..500).map(|index| (1, if index == late { 9_000 } else { index % 2 })).collect();
            assert_eq!(presentation_end(&durations, &tail(&offsets), 500, 5_000), (late + 1) * 10 + 9_000);
            let mut kept = tail(&offsets);
            assert_eq!(kept.runs.len(), KEPT);
            kept.forget_runs();
            assert!(kept.runs.is_empty() && kept.samples == 500);
        }
    }

    #[test]
    fn samples_before_the_kept_runs_are_bounded_by_the_latest_offset() {
        let alternating: Vec<_> = (0..500).map(|index| (1, if index == 3 { 9_000 } else { index % 2 })).collect();
        let durations = tail(&[(500, 10)]);
        assert!(presentation_end(&durations, &tail(&alternating), 500, 5_000) >= 9_040);
    }
}
