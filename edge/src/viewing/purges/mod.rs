//! Purges: removes outdated responses from the cache in front of the Worker.
//!
//! A content's tag is written into `cache_purges` in the transaction that changes its public view. The request that
//! made the change purges at once; the sweep purges the rest. A refused purge stays in the table and is repeated. If
//! none is ever accepted, the responses expire after the minute that `viewing::cache_rules` allows.
//!
//! This folder must not depend on the code that makes the changes, or on a particular cache.

mod outbox;

#[cfg(test)]
mod tests;

use crate::platform::Platform;
use crate::platform::database::may_have_more;
use crate::platform::edge_cache::EdgeCache;
use crate::platform::error::PlatformError;

/// The time between the first purge and the second. By then, a response that began before the change has reached the
/// cache.
pub(crate) const SETTLE_SECONDS: u64 = 5;

/// The largest number of tags that Cloudflare accepts in one call.
const TAGS_PER_CALL: u32 = 100;

/// The number of calls in one sweep. Cloudflare allows five in a minute.
const CALLS_PER_SWEEP: u32 = 5;

/// Purges the tags that are due, in at most one call, and returns their number.
pub(crate) async fn purge_due<P: Platform>(platform: &P) -> Result<usize, PlatformError> {
    let due = outbox::take_due(platform.database(), platform.now(), TAGS_PER_CALL).await?;
    if due.is_empty() {
        return Ok(0);
    }
    let tags: Vec<&str> = due.iter().map(|purge| purge.tag.as_str()).collect();
    platform.cache().purge(&tags).await?;
    let second_at = platform.now() + SETTLE_SECONDS;
    outbox::record_accepted(platform.database(), &due, second_at).await?;
    Ok(due.len())
}

/// Purges as many due tags as the cache accepts in a minute, for the sweep. Returns their number.
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
