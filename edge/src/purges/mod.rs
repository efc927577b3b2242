//! Purges: removing from the cache in front of the Worker what is no longer true.
//!
//! The tag of a content is written into `cache_purges` in the transaction that changes what everybody sees of the
//! content. The request that made the change purges at once; the sweep purges what is
//! left. A refused purge stays in the table and is repeated. If none is ever accepted, the answers expire by themselves
//! after the minute that `serving::cache_rules` allows.
//!
//! This folder does not know which contents changed or why, nor which cache it is.

mod outbox;
pub(crate) mod tags;

#[cfg(test)]
mod tests;

pub(crate) use outbox::{insert, purge_channels, purge_pages_of_channels};
pub(crate) use tags::{tag_of_channel, tag_of_channel_files, tag_of_content, tag_of_generation};

use crate::ports::database::{DatabaseError, may_have_more};
use crate::ports::edge_cache::EdgeCache;
use crate::ports::error::PlatformError;
use crate::ports::platform::Platform;

/// The time between the first purge and the second. By then, an answer that began before the change has reached the
/// cache.
pub(crate) const SETTLE_SECONDS: u64 = 5;

/// The largest number of tags that Cloudflare accepts in one call.
const TAGS_PER_CALL: u32 = 100;

/// The number of calls in one sweep. Cloudflare allows five in a minute.
const CALLS_PER_SWEEP: u32 = 5;

/// Purges the tags that are due, in one call or, if there are none, without a call. Returns their number.
pub(crate) async fn purge_due<P: Platform>(platform: &P) -> Result<usize, PlatformError> {
    let unknown = |error: DatabaseError| PlatformError(error.to_string());
    let due = outbox::take_due(platform.database(), platform.now(), TAGS_PER_CALL).await.map_err(unknown)?;
    if due.is_empty() {
        return Ok(0);
    }
    let tags: Vec<&str> = due.iter().map(|purge| purge.tag.as_str()).collect();
    platform.cache().purge(&tags).await?;
    let second_at = platform.now() + SETTLE_SECONDS;
    outbox::record_accepted(platform.database(), &due, second_at).await.map_err(unknown)?;
    Ok(due.len())
}

/// Purges for the sweep: as many of the tags that are due as the cache accepts in a minute. Returns their number.
pub(crate) async fn purge_all_due<P: Platform>(platform: &P) -> Result<u64, PlatformError> {
    let mut purged = 0;
    for _ in 0..CALLS_PER_SWEEP {
        let tags = purge_due(platform).await?;
        purged += tags as u64;
        if !may_have_more(tags, TAGS_PER_CALL) {
            break;
        }
    }
    Ok(purged)
}
