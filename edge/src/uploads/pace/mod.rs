//! The minimum pace of clients. An upload that is too slow is ended, because it holds a slot and memory that others
//! need.
//!
//! Only time that is spent waiting for the client counts: a slow store is not the client's fault. Only bytes of known
//! fields count: a client cannot keep an upload open by sending anything else.

mod paced_body;

pub(crate) use paced_body::{Arrived, PacedBody, incomplete};

use crate::base::limits::LEASE_SECONDS;
use std::collections::VecDeque;
use std::time::Duration;

/// The pace that an upload must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PaceRules {
    pub min_bytes_per_second: u64,
    /// The pace is the average over the last `window_seconds`. An upload is first judged after that time.
    pub window_seconds: u64,
    /// The maximum duration of an upload of any size.
    pub max_seconds: u64,
}

impl PaceRules {
    /// Whether an upload that sends almost nothing is ended well before its lease. Any byte renews the lease, so with a
    /// longer window such an upload would keep its slot.
    pub(crate) fn ends_before_lease(&self) -> bool {
        self.window_seconds <= LEASE_SECONDS / 2
    }

    /// Returns how long a body of this length may take. For an unknown length, that is `max_seconds`.
    pub(crate) fn longest_seconds(&self, body_bytes: Option<u64>) -> u64 {
        let at_pace = |bytes: u64| bytes.div_ceil(self.min_bytes_per_second.max(1)) + self.window_seconds;
        body_bytes.map_or(self.max_seconds, at_pace).min(self.max_seconds)
    }
}

/// The bytes of the last seconds of an upload.
#[derive(Debug)]
pub(crate) struct Pace {
    rules: PaceRules,
    waited: Duration,
    /// The bytes of each of the last seconds of waiting, the current one last.
    seconds: VecDeque<u64>,
}

impl Pace {
    pub(crate) fn new(rules: PaceRules) -> Self {
        Self { rules, waited: Duration::ZERO, seconds: VecDeque::from([0]) }
    }

    /// Records that the upload waited for its client.
    pub(crate) fn wait(&mut self, time: Duration) {
        let before = self.waited.as_secs();
        self.waited += time;
        let window = usize::try_from(self.rules.window_seconds).unwrap_or(usize::MAX);
        for _ in 0..(self.waited.as_secs() - before).min(self.rules.window_seconds + 1) {
            self.seconds.push_back(0);
        }
        // The window's seconds, and the current one, which has only begun.
        while self.seconds.len() > window + 1 {
            self.seconds.pop_front();
        }
    }

    /// Records bytes of known fields.
    pub(crate) fn progress(&mut self, bytes: u64) {
        if let Some(current) = self.seconds.back_mut() {
            *current += bytes;
        }
    }

    /// Whether fewer bytes arrived in the window than the pace requires. Bytes are counted when the wait for them ends,
    /// so the sum may include up to one second and one wait more than the window.
    pub(crate) fn is_too_slow(&self) -> bool {
        let is_judged = self.waited.as_secs() >= self.rules.window_seconds;
        let sent: u64 = self.seconds.iter().sum();
        is_judged && sent < self.rules.min_bytes_per_second * self.rules.window_seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULES: PaceRules = PaceRules { min_bytes_per_second: 16 * 1024, window_seconds: 30, max_seconds: 7_200 };

    #[test]
    fn the_window_may_be_half_as_long_as_a_lease() {
        let with_window = |window_seconds| PaceRules { window_seconds, ..RULES };
        assert!(with_window(60).ends_before_lease() && !with_window(61).ends_before_lease());
    }

    /// Sends the same number of bytes in each tenth of a second, and returns when the upload became too slow.
    fn too_slow_after(bytes_per_second: u64, seconds: u64) -> Option<u64> {
        let mut pace = Pace::new(RULES);
        (0..seconds * 10).find_map(|tenth| {
            pace.wait(Duration::from_millis(100));
            pace.progress(bytes_per_second / 10);
            pace.is_too_slow().then_some(tenth / 10 + 1)
        })
    }

    #[test]
    fn a_slow_upload_ends_after_the_window() {
        assert_eq!(too_slow_after(15_000, 100), Some(30));
        assert_eq!(too_slow_after(0, 100), Some(30));
    }

    #[test]
    fn an_upload_that_keeps_the_pace_is_never_too_slow() {
        assert_eq!(too_slow_after(17_000, 1_000), None);
    }

    #[test]
    fn a_fast_start_does_not_excuse_a_standstill() {
        let mut pace = Pace::new(RULES);
        pace.wait(Duration::from_secs(1));
        pace.progress(50_000_000);
        pace.wait(Duration::from_secs(29));
        assert!(!pace.is_too_slow());
        pace.wait(Duration::from_secs(1));
        assert!(!pace.is_too_slow(), "the window still begins within the fast second");
        pace.wait(Duration::from_secs(1));
        assert!(pace.is_too_slow());
    }

    #[test]
    fn a_long_time_is_one_standstill() {
        let mut pace = Pace::new(RULES);
        pace.progress(50_000_000);
        pace.wait(Duration::from_secs(100_000));
        assert!(pace.is_too_slow());
        assert!(pace.seconds.len() <= 31);
    }

    #[test]
    fn the_longest_time_follows_the_size_up_to_a_maximum() {
        assert_eq!(RULES.longest_seconds(Some(0)), 30);
        assert_eq!(RULES.longest_seconds(Some(16 * 1024 * 100)), 130);
        assert_eq!(RULES.longest_seconds(Some(u64::MAX / 2)), 7_200);
        assert_eq!(RULES.longest_seconds(None), 7_200);
    }

    /// Sends this many bytes in each millisecond, counted at the end of each step, and returns after how many
    /// milliseconds the upload became too slow.
    fn too_slow_in_steps(bytes_per_millisecond: u64, steps: &[u64]) -> Option<u64> {
        let mut pace = Pace::new(RULES);
        let mut waited = 0;
        steps.iter().find_map(|milliseconds| {
            pace.wait(Duration::from_millis(*milliseconds));
            pace.progress(milliseconds * bytes_per_millisecond);
            waited += milliseconds;
            pace.is_too_slow().then_some(waited)
        })
    }

    /// Returns when an upload is first judged: at the end of the first step that reaches the window's end.
    fn first_judged(steps: &[u64]) -> Option<u64> {
        let mut waited = 0;
        steps.iter().find_map(|milliseconds| {
            waited += milliseconds;
            (waited >= RULES.window_seconds * 1_000).then_some(waited)
        })
    }

    /// The current second and the step that began before the window are counted too, so an upload that is slightly
    /// too slow may pass.
    #[test]
    fn a_pace_slightly_below_the_minimum_may_pass() {
        let steps = [
            2_710, 1_541, 1_400, 2_289, 874, 2_571, 2_973, 1_341, 399, 2_322, 1_579, 2_920, 1_720, 1_406, 1_542, 217,
            1_873, 214, 2_877,
        ];
        assert_eq!(too_slow_in_steps(15, &steps), None);
        assert_eq!(too_slow_in_steps(14, &steps), first_judged(&steps));
        assert_eq!(first_judged(&steps), Some(32_768));
    }

    proptest! {
        /// With steps of less than 3 seconds, the counted bytes are those of at most 34 seconds: the window, the
        /// current second and a step. At 14 bytes per millisecond these are too few, and at 17, the bytes of the window
        /// alone suffice.
        #[test]
        fn the_division_of_time_does_not_matter(steps in prop::collection::vec(1..3_000_u64, 1..200)) {
            prop_assert_eq!(too_slow_in_steps(14, &steps), first_judged(&steps));
            prop_assert_eq!(too_slow_in_steps(17, &steps), None);
        }
    }
}
