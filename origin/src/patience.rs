//! Trying again for a little while, where what was asked may be asked twice.

use backon::{ExponentialBuilder, Retryable};
use std::time::Duration;

/// Five tries within about eight seconds; what lasts longer is for the queue's patience.
pub async fn with<T, Error, Attempt, Asking>(
    attempt: Attempt,
    may_pass: fn(&Error) -> bool,
) -> Result<T, Error>
where
    Attempt: FnMut() -> Asking,
    Asking: Future<Output = Result<T, Error>>,
{
    let pauses = ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(500))
        .with_max_times(4)
        .with_jitter();
    attempt.retry(pauses).when(may_pass).await
}

/// A random number from 0 to 1, so that not all come back at the same moment.
pub fn chance() -> f64 {
    // Without randomness everybody waits equally long, which is no reason to stop.
    f64::from(getrandom::u32().unwrap_or(u32::MAX)) / f64::from(u32::MAX)
}
