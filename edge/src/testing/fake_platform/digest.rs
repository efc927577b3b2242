//! SHA-256, computed by a library.

use crate::platform::digest::Digest;
use crate::platform::error::PlatformError;
use sha2::{Digest as _, Sha256};

/// Hashing has no external effect, so it never fails.
#[derive(Default)]
pub(crate) struct FakeDigest(Sha256);

impl Digest<Vec<u8>> for FakeDigest {
    async fn update(&mut self, bytes: &Vec<u8>) -> Result<(), PlatformError> {
        self.0.update(bytes);
        Ok(())
    }

    async fn finish(self) -> Result<String, PlatformError> {
        Ok(contract::hexadecimal(&self.0.finalize()))
    }
}
