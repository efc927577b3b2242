//! The pull loop's pause after failures: it grows with each failure, differs between origins, and is never shorter than
//! the queue requests.
//!
//! Libraries for this do not honour `Retry-After`, and draw their own random numbers.

use std::time::Duration;

const FIRST_STEP: Duration = Duration::from_millis(500);
/// Also the longest time until a recovered queue is noticed.
const MAX_STEP: Duration = Duration::from_mins(1);
/// The longest `Retry-After` time that is honoured. A value that is too large by mistake would otherwise stop the
/// origin.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(10);

/// Returns the pause after `failures` in a row (the first is 1). `retry_after` is the time that the queue requests;
/// `random` is a number from 0 to 1.
pub(super) fn pause(failures: u32, retry_after: Option<Duration>, random: f64) -> Duration {
    let doublings = failures.saturating_sub(1).min(16);
    let step = FIRST_STEP.saturating_mul(1 << doublings).min(MAX_STEP);
    // From half of the step to the whole step: spread out, but still growing with each failure.
    let jittered = step.mul_f64(0.5 + 0.5 * random.clamp(0.0, 1.0));
    match retry_after {
        Some(retry_after) => retry_after.min(MAX_RETRY_AFTER) + jittered,
        None => jittered,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_pause_is_never_shorter_than_requested_nor_longer_than_the_limit(
            failures: u32, requested in proptest::option::of(0_u64..10_000), random in 0.0..1.0_f64,
        ) {
            let requested = requested.map(Duration::from_secs);
            let pause = pause(failures, requested, random);
            let floor = requested.unwrap_or_default().min(MAX_RETRY_AFTER);
            prop_assert!(pause >= floor + FIRST_STEP / 2);
            prop_assert!(pause <= floor + MAX_STEP);
        }

        #[test]
        fn another_failure_never_shortens_the_pause(failures in 0_u32..100, random in 0.0..1.0_f64) {
            prop_assert!(pause(failures + 1, None, random) >= pause(failures, None, random));
        }

        #[test]
        fn different_random_numbers_give_different_pauses(failures: u32, random in 0.0..0.9_f64) {
            prop_assert!(pause(failures, None, random + 0.1) > pause(failures, None, random));
        }
    }
}
