//! How long to wait after failures: longer each time, never in step with the other origins, and never less than the queue
//! asks for.
//!
//! Its own few lines instead of a library's, because a library knows no `Retry-After` and draws its own randomness.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
/// A queue that comes back is noticed within this.
const LONGEST: Duration = Duration::from_mins(1);
/// What a queue may ask for; more would be an origin that stands still by mistake.
const LONGEST_ASKED: Duration = Duration::from_mins(10);

/// The wait after so many failures in a row, the first being 1. `chance` is a random number from 0 to 1.
pub fn wait(failures: u32, asked: Option<Duration>, chance: f64) -> Duration {
    let doublings = failures.saturating_sub(1).min(16);
    let step = FIRST.saturating_mul(1 << doublings).min(LONGEST);
    // Between half of the step and all of it: spread out, and still growing.
    let own = step.mul_f64(0.5 + 0.5 * chance.clamp(0.0, 1.0));
    match asked {
        Some(asked) => asked.min(LONGEST_ASKED) + own,
        None => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_wait_is_never_shorter_than_asked_nor_longer_than_the_limit(
            failures: u32, asked in proptest::option::of(0_u64..10_000), chance in 0.0..1.0_f64,
        ) {
            let asked = asked.map(Duration::from_secs);
            let wait = wait(failures, asked, chance);
            let floor = asked.unwrap_or_default().min(LONGEST_ASKED);
            prop_assert!(wait >= floor + FIRST / 2);
            prop_assert!(wait <= floor + LONGEST);
        }

        #[test]
        fn another_failure_never_shortens_the_wait(failures in 0_u32..100, chance in 0.0..1.0_f64) {
            prop_assert!(wait(failures + 1, None, chance) >= wait(failures, None, chance));
        }

        #[test]
        fn different_chances_give_different_waits(failures: u32, chance in 0.0..0.9_f64) {
            prop_assert!(wait(failures, None, chance + 0.1) > wait(failures, None, chance));
        }
    }
}
