//! Held jobs: the share of the queue that each channel gets.
//!
//! The queue is first in, first out, and knows no channels. So the edge keeps the jobs of a channel in `held_jobs`
//! while enough of them wait in the queue, and releases the next one whenever an origin claims one. The queue then
//! serves all channels in turn. A channel may have as many jobs waiting as origins are working on, so a channel alone
//! soon uses every origin.
//!
//! Jobs of every kind count: new videos, changed thumbnails, changed captions, requeues and repeated checks.
//! `sent_jobs` has the jobs that are in the queue or claimed. Triggers decide which jobs are held
//! (`edge/migrations/0033_shares.sql`).

use super::outbox::{UnsentJob, send_jobs};
use crate::ids::ContentUuid;
use crate::ports::database::{Database, DatabaseError, Statement};
use crate::ports::error::PlatformError;
use crate::ports::platform::Platform;
use crate::ports::queue::MESSAGES_PER_CALL;
use crate::unix_seconds::UnixSeconds;

/// The number of unclaimed jobs that every channel may have in the queue. With fewer, a free origin would wait until a
/// released job arrives. The triggers that hold jobs have the same number.
const MIN_WAITING_JOBS: u32 = 2;
/// A message that no origin has pulled for this long may be lost, so it no longer counts.
const LOST_AFTER_SECONDS: u64 = 15 * 60;
/// The number of jobs that the sweep releases at once. It releases the rest a minute later.
const RELEASED_BY_SWEEP: u32 = 500;
/// The number of held jobs that a claim looks at, which bounds its cost.
const RELEASED_BY_CLAIM: u32 = 32;

/// Puts held jobs into the outbox, as many as their channels may have in the queue, the first of each channel first.
/// The arguments are the held jobs, and the condition for their channels.
macro_rules! release {
    ($held_jobs:literal, $channels:literal) => {
        concat!(
            "WITH busy AS (SELECT DISTINCT channel_id FROM held_jobs ",
            $channels,
            "),
             shares AS MATERIALIZED (
                 SELECT channel_id, (
                     SELECT max(?2, count(*) FILTER (WHERE claim_ends_at_unix > ?1))
                         - count(*) FILTER (WHERE delivery_attempt = 0 AND enqueued_at_unix > ?1 - ?3)
                     FROM sent_jobs CROSS JOIN contents ON contents.id = sent_jobs.content_id
                     WHERE sent_jobs.channel_id = busy.channel_id) AS share
                 FROM busy),
             places AS (
                 SELECT channel_id, content_id,
                     row_number() OVER (PARTITION BY channel_id ORDER BY content_id) AS place
                 FROM ",
            $held_jobs,
            ")
             INSERT INTO outbox (content_id, generation, written_at_unix)
             SELECT content_id, generation, ?1
             FROM places JOIN shares USING (channel_id) JOIN contents ON contents.id = content_id
             WHERE place <= share
             ORDER BY place, content_id LIMIT ?4
             ON CONFLICT (content_id) DO NOTHING
             RETURNING content_id, generation,
                 (SELECT uuid FROM contents WHERE contents.id = content_id) AS content_uuid,
                 (SELECT traceparent FROM contents WHERE contents.id = content_id) AS traceparent"
        )
    };
}

/// Returns the statement that releases jobs of the content's channel. It returns `UnsentJob`s.
pub(super) fn release_of_channel(content_uuid: &ContentUuid, now: UnixSeconds) -> Statement {
    let release = release!(
        "(SELECT channel_id, content_id FROM held_jobs
          WHERE channel_id = (SELECT channel_id FROM contents WHERE uuid = ?5) ORDER BY content_id LIMIT ?4)",
        "WHERE channel_id = (SELECT channel_id FROM contents WHERE uuid = ?5)"
    );
    with_limits(release, now, RELEASED_BY_CLAIM).bind(content_uuid)
}

/// Sends the jobs that a claim has released. If that fails, they stay in the outbox, and the sweep sends them.
pub(super) async fn send_released<P: Platform>(platform: &P, released: Vec<UnsentJob>) {
    if let Err(error) = send_all(platform, released).await {
        tracing::warn!(%error, "released jobs were not sent; the sweep will send them");
    }
}

/// Releases and sends held jobs of all channels, and returns their number. Usually claims do that. The sweep is needed
/// for a channel without claims: the jobs that it has in the queue were deleted, or their messages were lost.
pub(crate) async fn send_held<P: Platform>(platform: &P) -> Result<u64, PlatformError> {
    let release = with_limits(release!("held_jobs", ""), platform.now(), RELEASED_BY_SWEEP);
    let released: Vec<UnsentJob> =
        platform.database().all(release).await.map_err(DatabaseError::into_platform_error)?;
    let count = released.len() as u64;
    send_all(platform, released).await?;
    Ok(count)
}

async fn send_all<P: Platform>(platform: &P, released: Vec<UnsentJob>) -> Result<(), PlatformError> {
    let jobs: Vec<_> = released.into_iter().map(Into::into).collect();
    for jobs in jobs.chunks(MESSAGES_PER_CALL) {
        send_jobs(platform, jobs).await?;
    }
    Ok(())
}

fn with_limits(sql: &'static str, now: UnixSeconds, at_most: u32) -> Statement {
    Statement::new(sql).bind(now).bind(MIN_WAITING_JOBS).bind(LOST_AFTER_SECONDS).bind(at_most)
}
