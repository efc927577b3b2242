//! Jobs without a heartbeat: the sweep fails them, starts them again, or sends their message once more.

use super::requeue::start_generation;
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::unix_seconds::UnixSeconds;
use contract::job::MAX_DELIVERY_ATTEMPTS;
use contract::{ContentEvent, ContentState, ErrorCode};

/// The time that the last attempt has to report after its claim has expired. The origin may be cut off from the edge
/// for that long.
const LAST_ATTEMPT_GRACE_SECONDS: u64 = 300;
/// The age at which a job counts as stuck. No job takes this long, even with all its retries.
const STUCK_AFTER_SECONDS: u64 = 3 * 3600;
/// The number of generations that the sweep may add to the first. A job that got stuck in three would get stuck again.
const MAX_AUTOMATIC_REQUEUES: u32 = 2;
/// The wait before a failed moderation check is retried. The wait grows by this much each time, because the whole job
/// is done again.
const CHECK_RETRY_SECONDS: u64 = 300;
/// The wait stops growing after this many retries.
const MAX_CHECK_WAITS: u32 = 12;

/// The numbers of contents that the sweep started again and that it failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SilentJobCounts {
    pub requeued: u64,
    pub failed: u64,
}

/// Fails contents whose last attempt fell silent, and starts a new generation for contents that are stuck or wait for a
/// check.
///
/// A job that no origin ever claimed is sent to the queue again and never fails: its message may be lost, or the
/// origins may be busy, and neither is the content's fault.
pub(crate) async fn recover_silent_jobs(
    database: &impl Database,
    now: UnixSeconds,
    at_most: u32,
) -> Result<SilentJobCounts, DatabaseError> {
    let run = RecoveryRun { now, at_most };
    let mut batch = Batch::default();
    let failed = batch.query::<()>(run.fail_exhausted());
    let stuck = batch.query::<()>(run.requeue_stuck());
    let waiting = batch.query::<()>(run.requeue_waiting_for_check());
    batch.execute(run.write_unclaimed_to_outbox());
    batch.execute(run.update_unclaimed());
    let answers = database.run(batch).await?;
    let count = |query| answers.count(query) as u64;
    Ok(SilentJobCounts { failed: count(failed), requeued: count(stuck) + count(waiting) })
}

/// One run of the sweep over the jobs.
#[derive(Clone, Copy)]
struct RecoveryRun {
    now: UnixSeconds,
    at_most: u32,
}

/// The end of a statement about contents that no origin has claimed although their job was sent long ago.
macro_rules! where_unclaimed {
    () => {
        " WHERE id IN (SELECT id FROM contents
             WHERE state = 'processing' AND enqueued_at_unix <= ?1 - ?3 AND waits_for IS NULL AND delivery_attempt = 0
             ORDER BY enqueued_at_unix, id LIMIT ?2)"
    };
}

impl RecoveryRun {
    fn statement(self, sql: &'static str) -> Statement {
        Statement::new(sql).bind(self.now).bind(self.at_most)
    }

    fn fail_exhausted(self) -> Statement {
        let failed = ContentState::Processing.next(ContentEvent::AttemptsExhausted);
        self.statement(
            "UPDATE contents SET state = ?3, error_code = ?4, error_detail = ?5, finished_at_unix = ?1,
                 claimed_by = NULL, claim_ends_at_unix = NULL
             WHERE id IN (SELECT id FROM contents
                 WHERE state = 'processing' AND waits_for IS NULL
                     AND ((delivery_attempt >= ?6 AND claim_ends_at_unix <= ?1 - ?7)
                         OR (enqueued_at_unix <= ?1 - ?9 AND automatic_requeues >= ?8 AND delivery_attempt > 0
                             AND coalesce(claim_ends_at_unix, 0) <= ?1))
                 LIMIT ?2)
             RETURNING id",
        )
        .bind(failed)
        .bind(ErrorCode::ContentProcessingFailed)
        .bind("Every attempt to process the video ended without a result.")
        .bind(MAX_DELIVERY_ATTEMPTS)
        .bind(LAST_ATTEMPT_GRACE_SECONDS)
        .bind(MAX_AUTOMATIC_REQUEUES)
        .bind(STUCK_AFTER_SECONDS)
    }

    fn requeue_stuck(self) -> Statement {
        self.statement(start_generation!(
            "automatic_requeues = automatic_requeues + 1
             WHERE id IN (SELECT id FROM contents
                 WHERE state = 'processing' AND enqueued_at_unix <= ?1 - ?3 AND waits_for IS NULL
                     AND delivery_attempt > 0 AND coalesce(claim_ends_at_unix, 0) <= ?1
                 LIMIT ?2)
             RETURNING id"
        ))
        .bind(STUCK_AFTER_SECONDS)
    }

    fn requeue_waiting_for_check(self) -> Statement {
        self.statement(start_generation!(
            "automatic_requeues = 0
             WHERE id IN (SELECT id FROM contents
                 WHERE state = 'processing' AND waits_for = 'check'
                     AND waits_since_unix + ?3 * min(check_waits, ?4) <= ?1
                 LIMIT ?2)
             RETURNING id"
        ))
        .bind(CHECK_RETRY_SECONDS)
        .bind(MAX_CHECK_WAITS)
    }

    /// Sends the same job again. If both messages arrive, the second finds the job claimed.
    fn write_unclaimed_to_outbox(self) -> Statement {
        self.statement(concat!(
            "INSERT INTO outbox (content_id, generation, written_at_unix) SELECT id, generation, 0 FROM contents",
            where_unclaimed!(),
            " ON CONFLICT (content_id) DO UPDATE SET generation = excluded.generation, written_at_unix = 0"
        ))
        .bind(STUCK_AFTER_SECONDS)
    }

    fn update_unclaimed(self) -> Statement {
        self.statement(concat!("UPDATE contents SET enqueued_at_unix = ?1", where_unclaimed!()))
            .bind(STUCK_AFTER_SECONDS)
    }
}
