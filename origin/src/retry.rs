//! Retries a request with backoff, and generates random numbers.
//!
//! Only requests that are safe to repeat may be retried. This file must not depend on what a request does.

use backon::{ExponentialBuilder, Retryable};
use std::time::Duration;

/// The pause after the first failure. It doubles with each further failure, plus jitter.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const MAX_RETRIES: usize = 4;

/// Sends a request up to five times within about eight seconds, as long as `is_transient` holds for its error. After a
/// longer outage, the queue hands the message out again.
pub async fn with_backoff<T, Error, Request, Response>(
    request: Request,
    is_transient: fn(&Error) -> bool,
) -> Result<T, Error>
where
    Request: FnMut() -> Response,
    Response: Future<Output = Result<T, Error>>,
{
    let pauses = ExponentialBuilder::default().with_min_delay(FIRST_PAUSE).with_max_times(MAX_RETRIES).with_jitter();
    request.retry(pauses).when(is_transient).await
}

/// Returns numbers that nobody can predict.
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

/// Returns a random number from 0 to 1, for jitter: without it, all origins would retry at the same moment.
pub fn random_fraction() -> f64 {
    // If the system has no randomness, every pause gets the same jitter. That is not worth failing for.
    f64::from(getrandom::u32().unwrap_or(u32::MAX)) / f64::from(u32::MAX)
}
