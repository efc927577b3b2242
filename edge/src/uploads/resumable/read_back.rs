//! Checks a stored file as a whole, because the state of its checker could not be saved or read.

use super::checker::Checker;
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::object_store::{ByteRange, ObjectStore};
use futures_util::StreamExt;
use probe::Media;

/// Returns the verdict and the SHA-256 of an object of this length.
pub(super) async fn read_back<P: Platform>(platform: &P, key: &str, length: u64) -> Result<(Media, String), Refusal> {
    let mut bytes = platform.objects().read(key, ByteRange { start: 0, length }).await?;
    let mut checker = Checker::default();
    while let Some(chunk) = bytes.next().await {
        checker.feed(&chunk?)?;
    }
    checker.finish()
}
