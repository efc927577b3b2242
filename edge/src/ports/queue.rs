//! The queue that brings jobs to origins.

use crate::ports::error::PlatformError;

/// Sends jobs. The queue delivers at least once, so a job may also be sent twice.
pub(crate) trait JobQueue {
    async fn send(&self, message: &str) -> Result<(), PlatformError>;
}
