//! Waits for something that happens by itself.

use anyhow::{Result, bail};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The pauses between two checks of a condition. They grow, because each check takes processor time away from the work
/// that the test waits for.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

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
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(found) = look().await? {
            return Ok(found);
        }
        if Instant::now() > deadline {
            bail!("not within {at_most:?}: {}", describe());
        }
        tokio::time::sleep(pause).await;
        pause = (pause + pause / 4).min(LONGEST_PAUSE);
    }
}

/// Returns the time in whole seconds.
pub fn now_unix() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
