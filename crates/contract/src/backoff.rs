//! Exponential backoff between the attempts of a request: bounded and with jitter.
//!
//! Pure: time and randomness are arguments. The constants say what each caller waits for.

use std::time::Duration;

/// A rule for pauses that grow with each failure in a row.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    /// The step after the first failure.
    pub first: Duration,
    /// The ratio of each further step to the one before; at least 2.
    pub factor: u32,
    /// The longest step. It is also the longest time until a recovered service is noticed.
    pub longest: Duration,
    /// The smallest and the largest fraction of a step that a pause may take. Jitter spreads out callers that failed
    /// together.
    pub jitter: (f64, f64),
}

impl Backoff {
    /// Returns the step after this many failures in a row (the first is 1).
    pub fn step(&self, failures: u32) -> Duration {
        let factor = self.factor.saturating_pow(failures.saturating_sub(1));
        self.first.saturating_mul(factor).min(self.longest)
    }

    /// Returns the pause after this many failures in a row. `random` is a number from 0 to 1.
    pub fn pause(&self, failures: u32, random: f64) -> Duration {
        let (least, most) = self.jitter;
        self.step(failures).mul_f64(least + (most - least) * random.clamp(0.0, 1.0))
    }

    /// Returns all steps up to the first one of maximum length.
    pub fn steps(&self) -> impl Iterator<Item = Duration> {
        let shorter = (1..).map(|failures| self.step(failures)).take_while(|step| *step < self.longest);
        shorter.chain([self.longest])
    }
}

/// Parses a `Retry-After` header. Only the form in seconds counts: a date would depend on this machine's clock.
pub fn parse_retry_after(header: &str) -> Option<Duration> {
    header.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HALF: Backoff =
        Backoff { first: Duration::from_millis(500), factor: 2, longest: Duration::from_secs(30), jitter: (0.5, 1.0) };

    #[test]
    fn each_step_is_a_multiple_of_the_one_before_up_to_the_longest() {
        let steps: Vec<_> = HALF.steps().map(|step| step.as_millis()).collect();
        assert_eq!(steps, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
        let threefold = Backoff { factor: 3, ..HALF };
        assert_eq!(
            [1, 2, 3, 4, 5].map(|failures| threefold.step(failures).as_millis()),
            [500, 1_500, 4_500, 13_500, 30_000]
        );
        assert_eq!((HALF.step(0), HALF.step(u32::MAX)), (HALF.first, HALF.longest));
    }

    #[test]
    fn chance_chooses_between_the_smallest_and_the_largest_part_of_a_step() {
        let pauses = [0.0, 0.5, 1.0, -1.0, 2.0].map(|random| HALF.pause(2, random).as_millis());
        assert_eq!(pauses, [500, 750, 1_000, 500, 1_000]);
    }

    #[test]
    fn only_seconds_are_a_retry_after() {
        assert_eq!(parse_retry_after(" 15 "), Some(Duration::from_secs(15)));
        for text in ["", "-1", "1.5", "Sun, 22 Nov 2026 10:00:00 GMT"] {
            assert_eq!(parse_retry_after(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn another_failure_never_shortens_a_pause(failures: u32, random in 0.0..=1.0_f64) {
            let (one, next) = (HALF.pause(failures, random), HALF.pause(failures.saturating_add(1), random));
            prop_assert!(HALF.first / 2 <= one && one <= next && next <= HALF.longest);
        }

        #[test]
        fn different_random_numbers_give_different_pauses(failures: u32, random in 0.0..0.9_f64) {
            prop_assert!(HALF.pause(failures, random + 0.1) > HALF.pause(failures, random));
        }
    }
}
