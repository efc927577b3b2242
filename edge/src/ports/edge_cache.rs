//! The cache in front of the Worker, which answers viewers without running it.

use crate::ports::error::PlatformError;

pub(crate) trait EdgeCache {
    /// Removes every answer that has one of these tags. An error means that nothing may have been removed.
    async fn purge(&self, tags: &[&str]) -> Result<(), PlatformError>;
}
