//! The queue that brings jobs to origins.

use crate::platform::error::PlatformError;

/// The largest number of messages that a queue accepts at once.
pub(crate) const MESSAGES_PER_CALL: usize = 100;

/// Sends jobs. The queue delivers at least once, so sending a job twice is harmless.
pub(crate) trait JobQueue {
    async fn send(&self, message: &str) -> Result<(), PlatformError>;
    /// Sends several jobs at once, at most `MESSAGES_PER_CALL`. After an error, some of them may have been sent.
    async fn send_all(&self, messages: &[String]) -> Result<(), PlatformError>;
}
