//! Held jobs: the share of the queue that each channel gets.
//!
//! The queue is first in, first out, and knows no channels. So the edge keeps the jobs of a channel in `held_jobs`
//! while enough of them wait in the queue, and releases the next one whenever an origin claims one. The queue then
//! serves all channels in turn. A channel may have as many jobs waiting as origins are working on, so a channel alone
//! soon uses every origin.
//!
//! A trigger decides which new jobs are held (`edge/migrations/0031_growth.sql`).

use super::outbox::{UnsentJob, send_jobs};
use crate::ids::ContentUuid;
use crate::ports::database::{Database, DatabaseError, Statement};
use crate::ports::error::PlatformError;
use crate::ports::platform::Platform;
use crate::ports::queue::MESSAGES_PER_CALL;
use crate::unix_seconds::UnixSeconds;

/// The number of unclaimed jobs that every channel may have in the queue. With fewer, a free origin would wait until a
/// released job arrives. The trigger that holds jobs has the same number.
const MIN_WAITING_JOBS: u32 = 2;
/// A message that no origin has pulled for this long may be lost, so it no longer counts.
const LOST_AFTER_SECONDS: u64 = 15 * 60;
/// The contents before the first held one that are looked at for running and waiting jobs. This bounds the cost of a
/// claim, and the number of jobs of one channel that can wait at a time.
const RECENT_CONTENTS: u32 = 64;
/// The number of jobs that one statement releases. The sweep releases the rest a minute later.
const MAX_RELEASED: u32 = 500;

/// Puts held jobs into the outbox, as many as their channels may have in the queue, the first of each channel first.
/// The argument restricts the channels.
macro_rules! release {
    ($channels:literal) => {
        concat!(
            "WITH busy AS (
                 SELECT channel_id, min(content_id) AS first_id FROM held_jobs ",
            $channels,
            " GROUP BY channel_id),
             shares AS MATERIALIZED (
                 SELECT busy.channel_id, (
                     SELECT max(?2, count(*) FILTER (WHERE claim_ends_at_unix > ?1))
                         - count(*) FILTER (WHERE delivery_attempt = 0 AND enqueued_at_unix > ?1 - ?3)
                     FROM (
                         SELECT state, waits_for, claim_ends_at_unix, delivery_attempt, enqueued_at_unix
                         FROM contents AS earlier INDEXED BY contents_by_time
                         WHERE earlier.channel_id = busy.channel_id
                             AND (created_at_unix, id) < (first.created_at_unix, first_id)
                         ORDER BY created_at_unix DESC, id DESC LIMIT ?4)
                     WHERE state = 'processing' AND waits_for IS NULL) AS share
                 FROM busy JOIN contents AS first ON first.id = first_id),
             places AS (
                 SELECT channel_id, content_id,
                     row_number() OVER (PARTITION BY channel_id ORDER BY content_id) AS place
                 FROM held_jobs ",
            $channels,
            ")
             INSERT INTO outbox (content_id, generation, written_at_unix)
             SELECT content_id, generation, ?1
             FROM places JOIN shares USING (channel_id) JOIN contents ON contents.id = content_id
             WHERE place <= share
             ORDER BY place, content_id LIMIT ?5
             ON CONFLICT (content_id) DO NOTHING
             RETURNING content_id, generation,
                 (SELECT uuid FROM contents WHERE contents.id = content_id) AS content_uuid,
                 (SELECT traceparent FROM contents WHERE contents.id = content_id) AS traceparent"
        )
    };
}

/// Returns the statement that releases jobs of the content's channel. It returns `UnsentJob`s.
pub(super) fn release_of_channel(content_uuid: &ContentUuid, now: UnixSeconds) -> Statement {
    let release = release!("WHERE channel_id = (SELECT channel_id FROM contents WHERE uuid = ?6)");
    with_limits(Statement::new(release), now).bind(content_uuid)
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
    let release = with_limits(Statement::new(release!("")), platform.now());
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

fn with_limits(release: Statement, now: UnixSeconds) -> Statement {
    release.bind(now).bind(MIN_WAITING_JOBS).bind(LOST_AFTER_SECONDS).bind(RECENT_CONTENTS).bind(MAX_RELEASED)
}
