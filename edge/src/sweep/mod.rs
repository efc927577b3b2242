//! The sweep: the scheduled task that publishes due contents and repairs state after crashes.
//!
//! It removes changed contents from the cache, returns the slots of expired uploads, deletes the objects that nothing
//! needs any more, sends unsent jobs, restarts silent jobs or fails them, and deletes old events. It runs every minute
//! and on demand. A second run has no further effect.
//!
//! The sweep never touches a live upload: a slot is only released after its lease, and objects are only deleted after
//! their upload's slot is released or when `retention` no longer needs them.
//!
//! It also packs the hashes that were added to the blocklist, and compares approved contents with them.
//!
//! It uses `intake`, `jobs`, `contents`, `moderation`, `events` and `purges`, which do not depend on it.

mod cleanup;
mod outbox;
mod retention;
mod uploads;

#[cfg(test)]
mod tests;

use crate::contents::schedule::publish_due;
use crate::events;
use crate::jobs::recover_silent_jobs;
use crate::moderation::recheck::recheck_page;
use crate::moderation::segments::pack_additions;
use crate::ports::database::DatabaseError;
use crate::ports::error::PlatformError;
use crate::ports::platform::Platform;
use crate::purges::purge_all_due;
use contract::api::SweepReport;

/// The maximum number of rows of one kind that a run handles, so that it stays within the platform's limit of calls per
/// request. The next run handles the rest.
const BATCH: u32 = 100;

#[derive(Debug, thiserror::Error)]
pub(crate) enum SweepError {
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error(transparent)]
    Platform(#[from] PlatformError),
}

/// Runs every part of the sweep once. A part that fails does not stop the others; the first error is returned, and the
/// next run continues where this one stopped.
pub(crate) async fn sweep<P: Platform>(platform: &P) -> Result<SweepReport, SweepError> {
    let (database, now) = (platform.database(), platform.now());
    let mut first_error = None;
    // Publishing comes first, because only it has a deadline: a scheduled content is published within a minute of its
    // time.
    let published_contents = value_or_default(publish_due(database, now).await, &mut first_error);
    let purged_tags = value_or_default(purge_all_due(platform).await, &mut first_error);
    let expired_reservations = value_or_default(uploads::expire_reservations(platform).await, &mut first_error);
    let removed_uploads = value_or_default(uploads::remove_garbage(platform).await, &mut first_error);
    let silent_jobs = value_or_default(recover_silent_jobs(database, now, BATCH).await, &mut first_error);
    let resent_jobs = value_or_default(outbox::send_unsent(platform).await, &mut first_error);
    let cleaned_contents = value_or_default(cleanup::clean_up(platform).await, &mut first_error);
    let packed_segments = value_or_default(pack_additions(database, platform.objects(), now).await, &mut first_error);
    if packed_segments > 0 {
        tracing::info!(packed_segments, "hashes of the blocklist were packed");
    }
    let flagged = value_or_default(recheck_page(database, platform.objects(), now).await, &mut first_error);
    if flagged > 0 {
        tracing::warn!(flagged, "approved contents match a hash that was blocked later");
    }
    let deleted_events = value_or_default(events::delete_old(database, now).await, &mut first_error);
    first_error.map_or(Ok(()), Err)?;
    Ok(SweepReport {
        success: true,
        published_contents,
        purged_tags,
        expired_reservations,
        removed_uploads,
        resent_jobs,
        requeued_contents: silent_jobs.requeued,
        failed_contents: silent_jobs.failed,
        deleted_events,
        cleaned_contents,
    })
}

/// Returns the value, or the default if the part failed. Stores the error if it is the first.
fn value_or_default<T: Default>(result: Result<T, impl Into<SweepError>>, first_error: &mut Option<SweepError>) -> T {
    result.unwrap_or_else(|error| {
        let error = error.into();
        tracing::warn!(%error, "a part of the sweep failed");
        first_error.get_or_insert(error);
        T::default()
    })
}
