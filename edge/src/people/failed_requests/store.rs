//! Failed requests in R2: one empty object per batch, with the batch in its metadata.

use super::batch::Batch;
use super::history::{History, since};
use crate::base::daily_limit::day_of;
use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::entropy::{Entropy, random_base62};
use crate::platform::error::PlatformError;
use crate::platform::object_store::{LIST_LENGTH, ObjectStore};
use contract::ObjectKey;
use contract::api::FailedRequests;
use futures_util::future::try_join_all;

/// The number of lists of one day that an owner's request reads. An isolate stores at most a few thousand batches a
/// day, and only if requests fail all day long.
const PAGES: u32 = 10;
/// The days of objects: the last week touches eight, and a batch may be stored a little later than its requests failed.
const DAYS: u64 = 8;
/// The number of lists that one run of the sweep deletes.
const DELETED_LISTS: u32 = 20;
/// The minute of each hour in which the sweep deletes old objects. In other minutes, it does not even list them.
const MINUTE: u64 = 17;

pub(crate) async fn put(
    objects: &impl ObjectStore,
    channel_id: ChannelId,
    batch: &Batch,
    now_ms: u64,
    entropy: &mut impl Entropy,
) -> Result<(), PlatformError> {
    let random = random_base62::<8>(entropy);
    let day = day_of(UnixSeconds(now_ms / 1_000));
    let key = ObjectKey::FailedRequests { day, channel_id: channel_id.0, stored_ms: now_ms, random: &random };
    objects.put_description(&key.path(), &batch.to_json()).await
}

/// Returns the failed requests of a channel's last week.
pub(crate) async fn read(
    objects: &impl ObjectStore,
    channel_id: ChannelId,
    now: UnixSeconds,
) -> Result<FailedRequests, PlatformError> {
    let since = since(now);
    let days = day_of(since)..=day_of(now);
    let parts = try_join_all(days.map(|day| read_day(objects, day, channel_id, since))).await?;
    let mut history = History::new(since);
    for part in parts {
        history.merge(part);
    }
    Ok(history.into_body())
}

/// Merges the batches of a day page by page, so that few of them are in memory at once.
async fn read_day(
    objects: &impl ObjectStore,
    day: u64,
    channel_id: ChannelId,
    since: UnixSeconds,
) -> Result<History, PlatformError> {
    let (folder, mut after) = (ObjectKey::failed_requests_folder(day, channel_id.0), String::new());
    let mut history = History::new(since);
    for _ in 0..PAGES {
        let list = objects.list_descriptions(&folder, &after).await?;
        for object in list.objects {
            if let Some(batch) = object.description.as_deref().and_then(Batch::parse) {
                history.add(batch);
            } else {
                tracing::error!(key = object.key, "an object with failed requests cannot be read");
                history.note_gap();
            }
            after = object.key;
        }
        if !list.has_more {
            return Ok(history);
        }
    }
    history.note_gap();
    Ok(history)
}

/// Deletes all failed requests of a channel, whose account is erased.
pub(crate) async fn erase(
    objects: &impl ObjectStore,
    channel_id: ChannelId,
    now: UnixSeconds,
) -> Result<(), PlatformError> {
    // One day more on each side, for a sweep that is late and an isolate whose clock is ahead.
    let days = day_of(now).saturating_sub(DAYS + 1)..=day_of(now) + 1;
    let folders = days.map(|day| ObjectKey::failed_requests_folder(day, channel_id.0));
    let deleted = folders.map(async |folder| {
        while delete_first(objects, &folder, |_| true).await? {}
        Ok::<_, PlatformError>(())
    });
    try_join_all(deleted).await.map(drop)
}

/// Whether the sweep of this minute deletes old objects.
pub(crate) fn is_due(now: UnixSeconds) -> bool {
    now.0 / 60 % 60 == MINUTE
}

/// Deletes objects whose requests are all older than a week, the oldest first.
pub(crate) async fn delete_old(objects: &impl ObjectStore, now: UnixSeconds) -> Result<(), PlatformError> {
    let is_old = |key: &str| ObjectKey::day_of_failed_requests(key).is_some_and(|day| day + DAYS < day_of(now));
    for _ in 0..DELETED_LISTS {
        if !delete_first(objects, ObjectKey::FAILED_REQUESTS_FOLDER, is_old).await? {
            break;
        }
    }
    Ok(())
}

/// Deletes the first objects of a folder that meet a condition. Returns whether more may follow.
async fn delete_first(
    objects: &impl ObjectStore,
    folder: &str,
    condition: impl Fn(&str) -> bool,
) -> Result<bool, PlatformError> {
    let mut keys = objects.list(folder).await?;
    let is_full = keys.len() == LIST_LENGTH;
    keys.retain(|key| condition(key));
    if keys.is_empty() {
        return Ok(false);
    }
    objects.delete(&keys).await?;
    Ok(is_full)
}

#[cfg(test)]
mod tests;
