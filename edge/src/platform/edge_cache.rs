//! The cache in front of the Worker, which serves viewers without running the Worker.

use crate::platform::error::PlatformError;

pub(crate) trait EdgeCache {
    /// Removes every response with one of these tags. After an error, nothing may have been removed.
    async fn purge(&self, tags: &[&str]) -> Result<(), PlatformError>;
}
