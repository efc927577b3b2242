//! Waits for a condition to come true.

use anyhow::{Result, bail};
use contract::Backoff;
use std::time::{Duration, Instant};

/// The pauses between two checks of a condition. They grow, because each check takes processor time away from the work
/// that the test waits for.
const PAUSES: Backoff =
    Backoff { first: Duration::from_millis(20), factor: 2, longest: Duration::from_millis(100), jitter: (1.0, 1.0) };

/// Returns what `look` finds, as soon as it finds something.
///
/// # Errors
///
/// Fails if `look` fails, and, with the description, if it finds nothing in time.
pub async fn until<T>(
    at_most: Duration,
    look: impl AsyncFn() -> Result<Option<T>>,
    describe: impl Fn() -> String,
) -> Result<T> {
    let deadline = Instant::now() + at_most;
    let mut checks = 0;
    loop {
        if let Some(found) = look().await? {
            return Ok(found);
        }
        if Instant::now() > deadline {
            bail!("not within {at_most:?}: {}", describe());
        }
        checks += 1;
        tokio::time::sleep(PAUSES.step(checks)).await;
    }
}
