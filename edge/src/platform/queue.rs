//! The queue that brings jobs to origins.

use crate::platform::error::PlatformError;

/// The largest number of messages that a queue accepts at once.
pub(crate) const MESSAGES_PER_CALL: usize = 100;

/// The messages that are in the queue, those that origins have pulled included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backlog {
    pub messages: u64,
    pub bytes: u64,
    /// The time at which the oldest of them was sent.
    pub oldest_at_ms: Option<u64>,
}

/// Sends jobs. The queue delivers at least once, so sending a job twice is harmless.
pub(crate) trait JobQueue {
    async fn send(&self, message: &str) -> Result<(), PlatformError>;
    /// Sends several jobs at once, at most `MESSAGES_PER_CALL`. After an error, some of them may have been sent.
    async fn send_all(&self, messages: &[String]) -> Result<(), PlatformError>;
    /// Returns the backlog. It is approximate, and may be some seconds old.
    async fn backlog(&self) -> Result<Backlog, PlatformError>;
}
