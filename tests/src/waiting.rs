//! Waits for something that happens by itself.

use anyhow::{Result, bail};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The interval at which a condition is checked.
const INTERVAL: Duration = Duration::from_millis(20);

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
    loop {
        if let Some(found) = look().await? {
            return Ok(found);
        }
        if Instant::now() > deadline {
            bail!("not within {at_most:?}: {}", describe());
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

/// Returns the time in whole seconds.
pub fn now_unix() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
