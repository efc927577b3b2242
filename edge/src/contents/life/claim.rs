//! Changes of a job that must be single statements, because many origins ask at the same time: claims, heartbeats,
//! releases, and each channel's share of the queue.
//!
//! The queue is first in, first out, and does not distinguish channels. So the edge holds the jobs of a channel while
//! enough of them wait in the queue, and releases the next job whenever an origin claims one. The queue then serves all
//! channels in turn. As many jobs of a channel may wait as origins work on, so a single active channel soon uses every
//! origin. Jobs of every kind count: new videos, changed thumbnails, changed captions, requeues and repeated checks.
//!
//! The jobs that complete published videos wait in the database until no new video waits for an origin. If these jobs
//! have a queue of their own, they wait until that queue holds few of them. `turn` orders all jobs that wait.

use super::job::{LAPSED_AFTER_SECONDS, SILENCES_WITHOUT_PAUSE, resend_after};
use crate::base::ids::ContentUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, DatabaseError, Query, Statement, json_text};
use contract::job::{CLAIM_SECONDS, JobId, JobProgress, JobWork};
use contract::{JOB_VERSION, JobMessage, Stage};
use serde::Deserialize;

/// The time at which the edge received a request, and the time at which the origin signed it by its own clock.
///
/// A request that was not signed later than the last request is a replay. It must not extend a claim.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestTimes {
    pub now: UnixSeconds,
    pub signed_at: UnixSeconds,
}

/// The minimum share of the queue, in unclaimed jobs, that every channel has. With less, a free origin would wait for a
/// released job to arrive.
pub(super) const MIN_WAITING_JOBS: u32 = 2;
/// The condition of the index of each channel's jobs. SQLite uses the index only for queries with the same text.
pub(super) const OPEN: &str = "state IN ('held', 'due', 'claimed')";
/// A message that no origin has pulled for this long may be lost, so it no longer counts.
const LOST_AFTER_SECONDS: u64 = 15 * 60;
/// The time for which a job waits for more urgent jobs. After it, half of the claims start such jobs, even if new
/// videos never cease to arrive.
const LATEST_SECONDS: u64 = 10 * 60;
/// The maximum number of held jobs that a change or a claim releases, which bounds its cost.
const RELEASED_AT_ONCE: u32 = 32;
/// The number of jobs that the sweep releases at once. It releases the rest a minute later.
pub(crate) const RELEASED_BY_SWEEP: u32 = 500;

/// A job whose message is to be sent: it was held, or its origin has given it back.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ReleasedJob {
    content_id: u64,
    content_uuid: ContentUuid,
    generation: u64,
    kind: JobWork,
    traceparent: Option<String>,
}

impl ReleasedJob {
    pub(crate) fn into_message(self) -> JobMessage {
        let Self { content_id, content_uuid, generation, kind: work, traceparent } = self;
        let content_uuid = content_uuid.into_string();
        JobMessage { version: JOB_VERSION, content_id, content_uuid, generation, work, traceparent }
    }
}

/// Gives the job to the origin, unless another origin holds it. Returns a row if it does. The holder may claim it
/// again, because it may have been restarted; whoever claims a job that is claimed shows that its holder fell silent.
///
/// A request that its origin did not sign later than its last one is a replay. Signatures of two origins are never
/// compared, because their clocks may differ.
pub(crate) fn take(id: &JobId, times: RequestTimes) -> Statement {
    let take = "UPDATE jobs SET state = 'claimed', claimed_by = ?3, attempt = attempt + 1, claim_ends_at_unix = ?4,
             due_at_unix = ?4 + ?7, last_signed_at_unix = ?5,
             silences = silences + (state = 'claimed' AND claim_ends_at_unix IS NOT NULL)
         WHERE content_id = (SELECT id FROM contents WHERE uuid = ?1) AND generation = ?2
             AND (state IN ('later', 'held', 'due') OR (state = 'claimed'
                 AND (claimed_by = ?3 OR coalesce(claim_ends_at_unix, 0) <= ?6)
                 AND (silences < ?8 OR claim_ends_at_unix IS NULL)))
             AND (claimed_by IS NOT ?3 OR coalesce(last_signed_at_unix, 0) < ?5)
         RETURNING id";
    let take = bind(take, id).bind(times.now + CLAIM_SECONDS).bind(times.signed_at).bind(times.now);
    take.bind(LAPSED_AFTER_SECONDS).bind(SILENCES_WITHOUT_PAUSE)
}

/// Renews the claim and records the progress, which never decreases within a generation. Returns a row if the origin
/// holds the job.
pub(crate) fn renew(progress: &JobProgress, times: RequestTimes) -> Statement {
    let JobProgress { id, stage, percent } = progress;
    let renew = "UPDATE jobs SET
             stage = CASE WHEN ?4 > percent OR (?4 = percent AND instr(?5, ',' || stage || ',') > 0)
                 THEN ?6 ELSE stage END,
             percent = max(percent, ?4),
             claim_ends_at_unix = iif(last_signed_at_unix < ?7, ?8, claim_ends_at_unix),
             due_at_unix = iif(last_signed_at_unix < ?7, ?8 + ?9, due_at_unix),
             last_signed_at_unix = max(last_signed_at_unix, ?7)
         WHERE content_id = (SELECT id FROM contents WHERE uuid = ?1) AND generation = ?2 AND claimed_by = ?3
             AND state = 'claimed' RETURNING generation";
    let renew = bind(renew, id).bind(u32::from(stage.overall_percent(*percent))).bind(earlier_stages(*stage));
    renew.bind(*stage).bind(times.signed_at).bind(times.now + CLAIM_SECONDS).bind(LAPSED_AFTER_SECONDS)
}

/// Ends the origin's claim, so that the next origin need not wait until it expires. Its name stays, because a replay of
/// its requests must not take the job again. A release signed before the last request is a replay: the origin may have
/// claimed the job again since. Returns the job, whose message is to be sent, if the origin held it.
pub(crate) fn give_back(id: &JobId, times: RequestTimes) -> Statement {
    let give_back = "UPDATE jobs SET state = 'due', claim_ends_at_unix = NULL, last_signed_at_unix = ?5,
             sendings = sendings + 1, sent_at_unix = ?4, due_at_unix = ?4 + ?6
         WHERE content_id = (SELECT id FROM contents WHERE uuid = ?1) AND generation = ?2 AND claimed_by = ?3
             AND state = 'claimed' AND claim_ends_at_unix > ?4 AND last_signed_at_unix <= ?5
         RETURNING content_id, generation, kind, traceparent,
             (SELECT uuid FROM contents WHERE contents.id = content_id) AS content_uuid";
    bind(give_back, id).bind(times.now).bind(times.signed_at).bind(resend_after(1))
}

/// Takes back the jobs of an origin without a valid key. The origin holds their messages and may never return them, so
/// the next sweep sends the jobs again.
pub(crate) fn take_from_revoked(key_id: u64) -> Statement {
    let take = Statement::new(
        "UPDATE jobs SET state = 'due', claimed_by = NULL, claim_ends_at_unix = NULL, due_at_unix = 0,
             sent_at_unix = NULL
         WHERE state = 'claimed' AND due_at_unix IS NOT NULL AND claimed_by = (
             SELECT name FROM origin_keys WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM origin_keys AS other
                 WHERE other.name = origin_keys.name AND other.ended_at_unix IS NULL))",
    );
    take.bind(key_id)
}

fn bind(sql: &'static str, id: &JobId) -> Statement {
    Statement::new(sql).bind(id.content_uuid.as_str()).bind(id.generation).bind(id.origin.as_str())
}

/// Returns the stages before this one, with a comma before and after each.
fn earlier_stages(stage: Stage) -> String {
    let earlier = Stage::ALL.iter().take_while(|other| **other < stage);
    earlier.fold(",".to_owned(), |list, other| list + other.as_str() + ",")
}

/// Returns the statement that releases held jobs until each of these channels has its share of the queue, in the order
/// of their turns. `?1` is the current time.
///
/// It finds one held job of a channel after the other, by a step into the index, so its cost depends on how many jobs
/// it releases and not on how many are held. Without the unary plus, SQLite would step by the turn alone, and read all
/// jobs with the same turn.
fn release(channels: &str) -> String {
    format!(
        "WITH RECURSIVE busy AS ({channels}),
         shares AS MATERIALIZED (
             SELECT channel_id, (
                 SELECT max(?2, count(*) FILTER (WHERE claim_ends_at_unix > ?1))
                     - count(*) FILTER (WHERE attempt = 0 AND enqueued_at_unix > ?1 - ?3)
                 FROM jobs WHERE jobs.channel_id = busy.channel_id AND state IN ('due', 'claimed') AND {OPEN}) AS share
             FROM busy WHERE EXISTS (
                 SELECT 1 FROM jobs WHERE jobs.channel_id = busy.channel_id AND state = 'held' AND {OPEN})),
         places (id, channel_id, share, place, turn_unix, content_id) AS (
             SELECT jobs.id, shares.channel_id, share, 1, jobs.turn_unix, jobs.content_id
             FROM shares CROSS JOIN jobs ON jobs.id = (
                 SELECT id FROM jobs AS held WHERE held.channel_id = shares.channel_id AND state = 'held' AND {OPEN}
                 ORDER BY turn_unix, content_id LIMIT 1)
             WHERE share > 0
             UNION ALL
             SELECT jobs.id, places.channel_id, share, place + 1, jobs.turn_unix, jobs.content_id
             FROM places CROSS JOIN jobs ON jobs.id = (
                 SELECT id FROM jobs AS held WHERE held.channel_id = places.channel_id AND state = 'held' AND {OPEN}
                     AND (turn_unix, content_id) > (+places.turn_unix, +places.content_id)
                 ORDER BY turn_unix, content_id LIMIT 1)
             WHERE place < min(share, ?4))
         UPDATE jobs SET state = 'due', enqueued_at_unix = ?1, sendings = 1, sent_at_unix = ?1,
             due_at_unix = ?1 + ?5
         WHERE id IN (SELECT id FROM places ORDER BY place, turn_unix, content_id LIMIT ?4)
         RETURNING content_id, generation, kind, traceparent,
             (SELECT uuid FROM contents WHERE contents.id = content_id) AS content_uuid"
    )
}

/// Adds a statement that releases held jobs of some channels.
pub(crate) fn release_of_channels(
    batch: &mut Batch,
    channels: &[u64],
    now: UnixSeconds,
) -> Result<Option<Query<ReleasedJob>>, DatabaseError> {
    if channels.is_empty() {
        return Ok(None);
    }
    let channels = json_text(channels)?;
    let release = release("SELECT DISTINCT value AS channel_id FROM json_each(?6)");
    Ok(Some(batch.query(with_limits(release, now, RELEASED_AT_ONCE).bind(channels))))
}

/// Returns the statement that releases held jobs of the content's channel.
pub(crate) fn release_beside(content_uuid: &str, now: UnixSeconds) -> Statement {
    let release = release("SELECT channel_id FROM contents WHERE uuid = ?6");
    with_limits(release, now, RELEASED_AT_ONCE).bind(content_uuid)
}

/// Returns the statement that releases held jobs of all channels. Usually claims do that. The sweep does it for a
/// channel without claims, whose jobs in the queue were deleted or lost.
pub(crate) fn release_all(now: UnixSeconds) -> Statement {
    let busy = format!("SELECT DISTINCT channel_id FROM jobs WHERE state = 'held' AND {OPEN}");
    with_limits(release(&busy), now, RELEASED_BY_SWEEP)
}

/// Returns the statement that releases one `later` job, the one with the earliest turn, if no new video is in the queue
/// or held. It runs whenever a job is claimed or becomes `later`. So while there are no new videos, each claim of a
/// `later` job releases the next one.
///
/// A job that has waited for ten minutes no longer waits for new videos. Only the job with the earliest turn is
/// examined for that, although an older job may have a later turn. Once that turn has come, no newer job goes before
/// it, and ten minutes later all jobs before it have waited long enough. So every job is released in the end, without
/// a second index.
pub(crate) fn release_later(now: UnixSeconds) -> Statement {
    let release = Statement::new(
        "UPDATE jobs SET state = 'due', enqueued_at_unix = ?1, sendings = 1, sent_at_unix = ?1, due_at_unix = ?1 + ?4
         WHERE id = (SELECT id FROM jobs WHERE state = 'later' ORDER BY turn_unix, id LIMIT 1)
             AND (enqueued_at_unix < ?1 - ?3 OR NOT EXISTS (
                 SELECT 1 FROM jobs WHERE kind = 'video' AND state IN ('held', 'due', 'claimed')
                     AND stage = 'queued' AND enqueued_at_unix > ?1 - ?2 AND state <> 'claimed'))
         RETURNING content_id, generation, kind, traceparent,
             (SELECT uuid FROM contents WHERE contents.id = content_id) AS content_uuid",
    );
    release.bind(now).bind(LOST_AFTER_SECONDS).bind(LATEST_SECONDS).bind(resend_after(0))
}

/// Returns the statement that releases `later` jobs to a queue of their own, whose origins take no new videos. As many
/// may wait in it as its origins work on. The rest wait in the database, because the queue would not order them by
/// their turns.
pub(crate) fn release_to_own_queue(now: UnixSeconds) -> Statement {
    let release = Statement::new(
        "UPDATE jobs SET state = 'due', enqueued_at_unix = ?1, sendings = 1, sent_at_unix = ?1, due_at_unix = ?1 + ?5
         WHERE id IN (SELECT id FROM jobs WHERE state = 'later' ORDER BY turn_unix, id LIMIT (
             SELECT min(?4, max(0, max(?2, count(*) FILTER (WHERE claim_ends_at_unix > ?1))
                 - count(*) FILTER (WHERE attempt = 0 AND enqueued_at_unix > ?1 - ?3)))
             FROM jobs WHERE kind = 'completion' AND state IN ('due', 'claimed')))
         RETURNING content_id, generation, kind, traceparent,
             (SELECT uuid FROM contents WHERE contents.id = content_id) AS content_uuid",
    );
    let release = release.bind(now).bind(MIN_WAITING_JOBS).bind(LOST_AFTER_SECONDS).bind(RELEASED_AT_ONCE);
    release.bind(resend_after(0))
}

fn with_limits(sql: String, now: UnixSeconds, at_most: u32) -> Statement {
    let release = Statement::new(sql).bind(now).bind(MIN_WAITING_JOBS).bind(LOST_AFTER_SECONDS).bind(at_most);
    release.bind(resend_after(0))
}

/// Removes the dead jobs of a content from the list of dead letters. Returns a row for each.
pub(crate) fn forget_dead(content_uuid: &ContentUuid) -> Statement {
    let forget = Statement::new(
        "UPDATE jobs SET state = 'done' WHERE state = 'dead' AND content_id = (SELECT id FROM contents WHERE uuid = ?1)
         RETURNING id",
    );
    forget.bind(content_uuid)
}

/// Returns the statement that makes the next sweep resend jobs that could not be sent.
pub(crate) fn note_unsent(jobs: &[JobMessage]) -> Result<Statement, DatabaseError> {
    let jobs: Vec<(u64, u64)> = jobs.iter().map(|job| (job.content_id, job.generation)).collect();
    let jobs = json_text(&jobs)?;
    let note = Statement::new(
        "UPDATE jobs SET due_at_unix = 0, sent_at_unix = NULL, sendings = max(sendings - 1, 0)
         WHERE state IN ('due', 'claimed') AND claim_ends_at_unix IS NULL AND (content_id, generation) IN
             (SELECT value ->> '$[0]', value ->> '$[1]' FROM json_each(?1))",
    );
    Ok(note.bind(jobs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sqlite::Sqlite;

    #[test]
    fn held_jobs_are_found_by_their_turn_and_not_among_all_with_the_same_turn() {
        let with_values = |sql: String, number| sql.replace(&format!("?{number}"), "1");
        let release = (1..=6).fold(release("SELECT channel_id FROM contents WHERE uuid = ?6"), with_values);
        let (plan, _) = Sqlite::migrated().plan_of(&release);
        assert!(plan.contains("(channel_id=? AND state=? AND (turn_unix,content_id)>(?,?))"), "{plan}");
    }

    #[test]
    fn the_earlier_stages_are_listed_in_order() {
        assert_eq!(earlier_stages(Stage::Queued), ",");
        assert_eq!(earlier_stages(Stage::Transcode), ",queued,download,inspect,");
    }
}
