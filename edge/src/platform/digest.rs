//! SHA-256 of a stream, computed while it is stored.

use crate::platform::error::PlatformError;

pub(crate) trait Digest<S> {
    /// Adds the current bytes of a segment. The segment may change as soon as this returns.
    async fn update(&mut self, bytes: &S) -> Result<(), PlatformError>;
    /// Returns the digest in lower-case hexadecimal.
    async fn finish(self) -> Result<String, PlatformError>;
}
