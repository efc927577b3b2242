//! A stall of the database for the end-to-end tests. A release build does not contain it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use worker::{Date, Delay};

static ENDS_MS: AtomicU64 = AtomicU64::new(0);

/// Makes every batch wait until the stall is over. Another stall replaces this one.
pub(crate) fn begin(time: Duration) {
    let time = u64::try_from(time.as_millis()).unwrap_or_default();
    ENDS_MS.store(Date::now().as_millis() + time, Ordering::Relaxed);
}

/// Returns when no stall is left.
pub(super) async fn end() {
    let left = ENDS_MS.load(Ordering::Relaxed).saturating_sub(Date::now().as_millis());
    if left > 0 {
        Delay::from(Duration::from_millis(left)).await;
    }
}
