//! Pauses between attempts of a request, and random numbers.
//!
//! A pause grows with each failure, differs between origins, and is never shorter than the queue requests. This file
//! must not depend on what a request does.

use contract::Backoff;
use std::time::Duration;

/// A pause is from half of the step to the whole step: spread out, but still growing with each failure.
const BACKOFF: Backoff =
    Backoff { first: Duration::from_millis(500), factor: 2, longest: Duration::from_mins(1), jitter: (0.5, 1.0) };
/// The same while finished work waits, which has to be published within a minute of the end of an outage.
const SHORT_BACKOFF: Backoff = Backoff { longest: Duration::from_secs(10), ..BACKOFF };
/// The longest `Retry-After` time that is honoured. A value that is too large by mistake would otherwise stop the
/// origin.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(10);

/// Returns the pause after `failures` in a row (the first is 1). `retry_after` is the time that the queue requests;
/// `random` is a number from 0 to 1.
pub fn pause(failures: u32, retry_after: Option<Duration>, random: f64) -> Duration {
    retry_after.unwrap_or_default().min(MAX_RETRY_AFTER) + BACKOFF.pause(failures, random)
}

/// Returns the pause after `failures` in a row while finished work waits: at most ten seconds.
pub fn short_pause(failures: u32, random: f64) -> Duration {
    SHORT_BACKOFF.pause(failures, random)
}

/// Returns unpredictable numbers.
pub fn random_numbers<const COUNT: usize>() -> std::io::Result<[u32; COUNT]> {
    let mut numbers = [0; COUNT];
    for number in &mut numbers {
        *number = getrandom::u32().map_err(std::io::Error::other)?;
    }
    Ok(numbers)
}

/// Returns random bytes for an id that only has to be unique; zeros if the system has no randomness.
pub fn random_bytes<const COUNT: usize>() -> [u8; COUNT] {
    let mut bytes = [0; COUNT];
    let _ = getrandom::fill(&mut bytes);
    bytes
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
            prop_assert!(pause >= floor + BACKOFF.first / 2);
            prop_assert!(pause <= floor + BACKOFF.longest);
        }

        #[test]
        fn a_short_pause_is_at_most_ten_seconds(failures: u32, random in 0.0..1.0_f64) {
            prop_assert!(short_pause(failures, random) <= Duration::from_secs(10));
            prop_assert!(short_pause(failures, random) <= pause(failures, None, random));
        }
    }
}
