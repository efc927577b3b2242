//! The pauses before a request is repeated: full jitter, and never shorter than the service asks for.
//!
//! Pure: time and randomness are arguments.

use contract::ErrorCode;
use std::time::Duration;

/// The codes of temporary refusals. All others are final: repeating the request gives the same answer.
pub const RETRYABLE: [ErrorCode; 7] = [
    ErrorCode::UploadInProgress,
    ErrorCode::UploadTooSlow,
    ErrorCode::TooManyUploads,
    ErrorCode::RequestTimeout,
    ErrorCode::RateLimited,
    ErrorCode::ServiceOverloaded,
    ErrorCode::InternalError,
];

const FIRST_STEP: Duration = Duration::from_millis(500);
/// Also the longest time until a recovered service is noticed.
const LONGEST_STEP: Duration = Duration::from_secs(30);

/// Returns the pause after `failures` in a row (the first is 1). It is anything from nothing to the whole step, so that
/// clients that failed together do not come back together. `random` is a number from 0 to 1.
pub fn pause(failures: u32, retry_after: Option<Duration>, random: f64) -> Duration {
    let doublings = failures.saturating_sub(1).min(16);
    let step = FIRST_STEP.saturating_mul(1 << doublings).min(LONGEST_STEP);
    retry_after.unwrap_or_default().saturating_add(step.mul_f64(random.clamp(0.0, 1.0)))
}

/// Reads a `Retry-After` header. Clipgate sends seconds; a date of something in between is ignored.
pub(crate) fn retry_after(header: &str) -> Option<Duration> {
    header.trim().parse().ok().map(Duration::from_secs)
}

/// Returns a random number from 0 to 1.
pub(crate) fn random_fraction() -> f64 {
    // If the system has no randomness, every pause has its full length. That is not worth failing for.
    f64::from(getrandom::u32().unwrap_or(u32::MAX)) / f64::from(u32::MAX)
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
            prop_assert!(pause >= floor && pause <= floor + LONGEST_STEP);
        }

        #[test]
        fn the_longest_pause_grows_with_each_failure_up_to_the_limit(failures in 1_u32..100) {
            let longest = pause(failures, None, 1.0);
            prop_assert!(pause(failures + 1, None, 1.0) >= longest && longest <= LONGEST_STEP);
        }

        #[test]
        fn a_pause_may_have_any_length_up_to_its_step(failures in 1_u32..100, random in 0.0..1.0_f64) {
            let share = pause(failures, None, random).as_secs_f64() / pause(failures, None, 1.0).as_secs_f64();
            prop_assert!((share - random).abs() < 1e-6);
        }

        #[test]
        fn any_header_is_read_or_ignored(text in "\\PC{0,30}") {
            let _ = retry_after(&text);
        }
    }

    #[test]
    fn the_first_pauses_double() {
        let longest = [1, 2, 3, 7, 8].map(|failures| pause(failures, None, 1.0).as_millis());
        assert_eq!(longest, [500, 1_000, 2_000, 30_000, 30_000]);
    }

    #[test]
    fn only_seconds_are_a_retry_after() {
        assert_eq!(retry_after(" 15 "), Some(Duration::from_secs(15)));
        for text in ["", "-1", "1.5", "Sun, 22 Nov 2026 10:00:00 GMT"] {
            assert_eq!(retry_after(text), None, "{text}");
        }
    }
}
