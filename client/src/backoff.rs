//! The pauses before a retry: full jitter, and never shorter than the service asks for.
//!
//! Pure: time and randomness are arguments.

use contract::{Backoff, ErrorCode};
use std::time::Duration;

/// The codes of temporary refusals. All others are final: repeating the request gives the same answer.
pub const RETRYABLE: [ErrorCode; 8] = [
    ErrorCode::UploadInProgress,
    ErrorCode::UploadTooSlow,
    ErrorCode::TooManyUploads,
    ErrorCode::RequestTimeout,
    ErrorCode::RateLimited,
    ErrorCode::ServiceOverloaded,
    ErrorCode::ServiceUnavailable,
    ErrorCode::InternalError,
];

/// Full jitter, so that clients that failed together do not retry in lockstep.
const BACKOFF: Backoff =
    Backoff { first: Duration::from_millis(500), factor: 2, longest: Duration::from_secs(30), jitter: (0.0, 1.0) };

/// Returns the pause after `failures` in a row (the first is 1). `random` is a number from 0 to 1.
pub fn pause(failures: u32, retry_after: Option<Duration>, random: f64) -> Duration {
    retry_after.unwrap_or_default().saturating_add(BACKOFF.pause(failures, random))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_pause_is_never_shorter_than_requested_nor_longer_than_a_step_more(
            failures: u32, requested in proptest::option::of(0_u64..100_000), random in 0.0..1.0_f64,
        ) {
            let requested = requested.map(Duration::from_secs);
            let pause = pause(failures, requested, random);
            let floor = requested.unwrap_or_default();
            prop_assert!(pause >= floor && pause <= floor + BACKOFF.longest);
        }

        #[test]
        fn a_pause_may_have_any_length_up_to_its_step(failures in 1_u32..100, random in 0.0..1.0_f64) {
            let share = pause(failures, None, random).as_secs_f64() / pause(failures, None, 1.0).as_secs_f64();
            prop_assert!((share - random).abs() < 1e-6);
        }
    }

    #[test]
    fn the_first_pauses_double() {
        let longest = [1, 2, 3, 7, 8].map(|failures| pause(failures, None, 1.0).as_millis());
        assert_eq!(longest, [500, 1_000, 2_000, 30_000, 30_000]);
    }
}
