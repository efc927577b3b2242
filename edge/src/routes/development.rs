//! Routes that only the end-to-end tests need. They are not compiled into a release build.

use std::time::Duration;

/// Panics, to show that its neighbours live on.
#[expect(clippy::panic, reason = "this is what it is for")]
#[worker::send]
pub async fn panic() {
    worker::Delay::from(Duration::from_millis(50)).await;
    panic!("asked to panic");
}

/// Takes two seconds, to be in flight while another panics.
#[worker::send]
pub async fn slow() -> &'static str {
    worker::Delay::from(Duration::from_secs(2)).await;
    "{\"success\":true}"
}
