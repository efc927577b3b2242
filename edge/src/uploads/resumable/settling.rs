//! The progress of an upload whose last request may still be storing what it has received.

use super::location::Location;
use super::record::{Progress, find};
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use std::time::Duration;

/// The pauses between looks, two seconds in all. A client whose connection broke asks at once, and would otherwise send
/// again what is being stored just then. A request that has died is not waited for any longer.
const PAUSES_MS: [u64; 6] = [50, 100, 200, 350, 500, 800];

/// Returns the progress once no request is storing bytes, or after two seconds.
pub(crate) async fn settled<P: Platform>(platform: &P, location: &Location) -> Result<Progress, Refusal> {
    for pause in PAUSES_MS {
        let record = find(platform.database(), location, platform.now()).await?;
        if !record.is_writing() {
            return Ok(record.progress()?);
        }
        platform.sleep(Duration::from_millis(pause)).await;
    }
    Ok(find(platform.database(), location, platform.now()).await?.progress()?)
}
