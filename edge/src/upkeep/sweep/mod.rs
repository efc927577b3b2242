//! The sweep: the scheduled task that publishes due contents and repairs state after crashes.
//!
//! It purges changed contents from the cache, releases the slots of expired uploads, deletes unneeded objects, resends
//! unclaimed jobs, restarts or fails silent jobs, deletes old events, evidence and failed requests, and continues the
//! erasure of accounts. It moves the details of finished contents into R2, packs the hashes that were added to the
//! blocklist, and compares approved contents with them. It runs every minute and on demand. If nothing has changed
//! since, running it again does nothing.
//!
//! The sweep never touches a live upload: a slot is only released after its lease, and objects are only deleted after
//! their upload's slot is released or when `retention` no longer needs them.
//!
//! Other rooms, `accounts` and `removals` do most of the work. None of them may depend on the sweep.

mod at_once;
mod cleanup;
mod compaction;
mod removal;
mod retention;
mod run;
mod uploads;

#[cfg(test)]
mod tests;

use crate::contents::events;
use crate::contents::schedule::publish_due;
use crate::contents::test_videos;
use crate::jobs::{recover_silent_jobs, send_held};
use crate::moderation::evidence;
use crate::moderation::recheck::recheck_page;
use crate::moderation::segments::pack_additions;
use crate::people::failed_requests;
use crate::platform::Platform;
use crate::platform::error::PlatformError;
use crate::upkeep::accounts::erasure;
use crate::upkeep::removals::{LogComparison, Repeating, read_log, repeat_read};
use crate::viewing::purges::purge_all_due;
use contract::api::SweepReport;
use run::{Run, happened};

/// The rows of one kind that a part of the sweep reads at once, and the number of reads in one run. With the time that
/// `run::Deadline` gives each part, this stays within the platform's limits of a request: 1,000 queries of D1 and
/// 10,000 calls of other services. The next run handles the rest.
const BATCH: u32 = 500;
const ROUNDS: u32 = 20;

/// Runs every part of the sweep once, and records how it went. A part that fails does not stop the others; the first
/// error is returned, and the next run continues where this one stopped. Contents are compacted once they have been
/// finished for `compact_seconds`.
pub(crate) async fn sweep<P: Platform>(platform: &P, compact_seconds: u64) -> Result<SweepReport, PlatformError> {
    let (database, now) = (platform.database(), platform.now());
    let mut run = Run::start(platform);
    let mut is_log_read = false;
    let removals = async {
        is_log_read = read_log(platform).await?;
        if is_log_read { repeat_read(platform, Repeating::IfRestored).await } else { Ok(LogComparison::default()) }
    };
    let log = run.part("removals", removals).await;
    if log.is_repeated {
        let repeated_removals = log.contradicted.len();
        tracing::error!(repeated_removals, "the database is older than the removal log; was it restored?");
    }
    // Publishing comes next, because only it has a deadline: a scheduled content is published within a minute. But
    // after a restore of the database, nothing may be published before all removals were repeated, even if R2 fails for
    // longer.
    let published_contents = if is_log_read { run.part("publish", publish_due(database, now)).await } else { 0 };
    let purged_tags = run.part("purge", purge_all_due(platform)).await;
    let expired_reservations = run.part("leases", uploads::expire_reservations(platform)).await;
    let removed_uploads = run.part("garbage", uploads::remove_garbage(platform)).await;
    let silent_jobs = run.part("silent_jobs", recover_silent_jobs(platform)).await;
    let released_jobs = run.part("held_jobs", send_held(platform)).await;
    let cleaned_contents = run.part("cleanup", cleanup::clean_up(platform)).await;
    let deleted_tests = run.part("test_videos", test_videos::steps::advance_all(database, now)).await;
    let deleted_events = run.part("events", events::delete_old(database, now)).await;
    let deleted_evidence = run.part("evidence", evidence::delete_old(database, now)).await;
    let erased_accounts = run.part("erasure", erasure::continue_due(platform)).await;
    let compacted = run.part("compaction", compaction::compact_finished(platform, compact_seconds)).await;
    let packed_segments = run.part("blocklist", pack_additions(database, platform.objects(), now)).await;
    if failed_requests::is_due(now) {
        run.part("failed_requests", failed_requests::delete_old(platform.objects(), now)).await;
    }
    let flagged = run.part("recheck", recheck_page(database, platform.objects(), now)).await;
    for (count, what) in happened([
        (deleted_tests, "test videos were deleted"),
        (deleted_evidence, "the retention of evidence ended"),
        (erased_accounts, "accounts are erased completely"),
        (compacted, "finished contents were compacted"),
        (packed_segments, "hashes of the blocklist were packed"),
    ]) {
        tracing::info!(count, "{what}");
    }
    for (count, what) in happened([(flagged, "approved contents match a hash that was blocked later")]) {
        tracing::warn!(count, "{what}");
    }
    run.end().await?;
    Ok(SweepReport {
        success: true,
        published_contents,
        purged_tags,
        expired_reservations,
        removed_uploads,
        resent_jobs: silent_jobs.sent_again + released_jobs,
        requeued_contents: silent_jobs.requeued,
        failed_contents: silent_jobs.failed,
        deleted_events,
        cleaned_contents,
    })
}
