//! The response times of requests, and the failures.

use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct Timings {
    taken: Vec<Duration>,
    failures: BTreeMap<String, usize>,
}

impl Timings {
    /// Collects the outcomes of requests.
    pub(crate) fn of(outcomes: impl IntoIterator<Item = Result<Duration, String>>) -> Self {
        let mut timings = Self::default();
        for outcome in outcomes {
            match outcome {
                Ok(taken) => timings.taken.push(taken),
                Err(failure) => *timings.failures.entry(failure).or_default() += 1,
            }
        }
        timings.taken.sort_unstable();
        timings
    }

    /// Returns the time within which this percentage of the requests were answered.
    fn percentile(&self, percent: usize) -> Duration {
        let index = (self.taken.len() * percent / 100).min(self.taken.len().saturating_sub(1));
        self.taken.get(index).copied().unwrap_or_default()
    }

    /// Returns requests, errors, median and 99th percentile, as cells of a table.
    pub(crate) fn row(&self) -> String {
        let errors: usize = self.failures.values().sum();
        let (median, late) = (milliseconds(self.percentile(50)), milliseconds(self.percentile(99)));
        format!("{} | {errors} | {median:.1} ms | {late:.1} ms", self.taken.len() + errors)
    }

    pub(crate) fn ratio(&self, base: Option<&Self>) -> String {
        let ratio = |base: &Self| self.percentile(99).as_secs_f64() / base.percentile(99).as_secs_f64();
        base.map(|base| format!("{:.2}", ratio(base))).unwrap_or_default()
    }

    pub(crate) fn errors(&self) -> impl Iterator<Item = String> {
        self.failures.iter().map(|(failure, count)| format!("{count} × {failure}"))
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_slowest_of_the_fast_ones() {
        let timings = Timings::of((1..=200).rev().map(|number| Ok(Duration::from_millis(number))));
        assert_eq!(timings.percentile(50), Duration::from_millis(101));
        assert_eq!(timings.percentile(99), Duration::from_millis(199));
        assert_eq!(Timings::default().percentile(99), Duration::ZERO);
    }

    #[test]
    fn a_failure_counts_as_a_request_and_has_no_time() {
        let timings = Timings::of([Ok(Duration::from_millis(1)), Err("503".to_owned()), Err("503".to_owned())]);
        assert_eq!(timings.row(), "3 | 2 | 1.0 ms | 1.0 ms");
        assert_eq!(timings.errors().collect::<Vec<_>>(), ["2 × 503"]);
    }
}
