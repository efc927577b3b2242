//! Jobs without a heartbeat: the sweep fails them, starts them again, or sends their message once more.

use super::requeue::start_generation;
use crate::ports::database::{Batch, Database, DatabaseError, Query, Statement, may_have_more};
use crate::unix_seconds::UnixSeconds;
use contract::job::MAX_DELIVERY_ATTEMPTS;
use contract::{ContentEvent, ContentState, ErrorCode};

/// The time that the last attempt has to report after its claim has expired. The origin may be cut off from the edge
/// for that long.
const LAST_ATTEMPT_GRACE_SECONDS: u64 = 300;
/// The time after the end of a claim at which its origin is taken to be dead or cut off. The message that this origin
/// pulled stays hidden for as long as the longest job, so another message is sent.
const LAPSED_AFTER_SECONDS: u64 = 120;
/// If the previous run of the sweep is older than this, the edge was unavailable, so origins could not renew their
/// claims. They get until the next run to do so.
const PREVIOUS_RUN_SECONDS: u64 = 180;
/// The age at which a job counts as stuck. No job takes this long, even with all its retries.
const STUCK_AFTER_SECONDS: u64 = 3 * 3600;
/// The number of generations that the sweep may add to the first. A job that got stuck in three would get stuck again.
const MAX_AUTOMATIC_REQUEUES: u32 = 2;
/// The wait before a failed moderation check is retried. The wait grows by this much each time, because the whole job
/// is done again.
const CHECK_RETRY_SECONDS: u64 = 300;
/// The wait stops growing after this many retries.
const MAX_CHECK_WAITS: u32 = 12;

/// The number of jobs of each kind that one transaction handles, and of transactions of a run. The next run is a minute
/// away.
const BATCH: u32 = 500;
const ROUNDS: u32 = 20;

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
/// origins may be busy, and neither is the content's fault. A job whose claim has lapsed is sent again too, and that
/// counts as a delivery attempt.
pub(crate) async fn recover_silent_jobs(
    database: &impl Database,
    now: UnixSeconds,
) -> Result<SilentJobCounts, DatabaseError> {
    let run = RecoveryRun { now, at_most: BATCH };
    let mut total = SilentJobCounts::default();
    for _ in 0..ROUNDS {
        let (counts, is_last) = run.recover(database).await?;
        total.failed += counts.failed;
        total.requeued += counts.requeued;
        if is_last {
            break;
        }
    }
    Ok(total)
}

/// One run of the sweep over the jobs.
#[derive(Clone, Copy)]
struct RecoveryRun {
    now: UnixSeconds,
    at_most: u32,
}

/// Whether the job of a content was sent. Held jobs were not.
macro_rules! is_sent {
    () => {
        " AND NOT EXISTS (SELECT 1 FROM held_jobs
             WHERE held_jobs.channel_id = contents.channel_id AND held_jobs.content_id = contents.id)"
    };
}

/// The end of a statement about contents that no origin has claimed although their job was sent long ago.
macro_rules! where_unclaimed {
    () => {
        concat!(
            " WHERE id IN (SELECT id FROM contents
                 WHERE state = 'processing' AND enqueued_at_unix <= ?1 - ?3 AND waits_for IS NULL
                     AND delivery_attempt = 0",
            is_sent!(),
            " ORDER BY enqueued_at_unix, id LIMIT ?2)"
        )
    };
}

/// The same for contents with a change of the thumbnail that no origin has claimed.
macro_rules! where_thumbnail_unclaimed {
    () => {
        concat!(
            " WHERE id IN (SELECT id FROM contents
                 WHERE thumbnail_change = 'pending' AND enqueued_at_unix <= ?1 - ?3
                     AND state IN ('scheduled', 'published') AND delivery_attempt = 0",
            is_sent!(),
            " ORDER BY enqueued_at_unix, id LIMIT ?2)"
        )
    };
}

/// The same for contents with a change of the captions that no origin has claimed.
macro_rules! where_captions_unclaimed {
    () => {
        concat!(
            " WHERE id IN (SELECT id FROM contents
                 WHERE captions_change = 'pending' AND enqueued_at_unix <= ?1 - ?3
                     AND state IN ('scheduled', 'published') AND thumbnail_change IS NOT 'pending'
                     AND delivery_attempt = 0",
            is_sent!(),
            " ORDER BY enqueued_at_unix, id LIMIT ?2)"
        )
    };
}

/// The condition that the edge itself was there while a claim lapsed. `?1` is now; the argument is the longest pause
/// between two runs.
macro_rules! edge_was_there {
    ($seconds:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM sweep_parts WHERE part = 'silent_jobs' AND succeeded_at_unix >= ?1 - ",
            $seconds,
            ")"
        )
    };
}

/// The open jobs of one kind whose claim was neither renewed nor released, and for which no message was sent since.
macro_rules! lapsed {
    ($kind:literal) => {
        concat!(
            "SELECT id FROM contents WHERE ",
            $kind,
            " AND claim_ends_at_unix <= ?1 - ?3 AND claimed_by IS NOT NULL AND delivery_attempt < ?4 AND ",
            edge_was_there!("?5")
        )
    };
}

/// The end of a statement about contents with a lapsed job.
macro_rules! where_lapsed {
    () => {
        concat!(
            " WHERE id IN (",
            lapsed!("state = 'processing' AND waits_for IS NULL"),
            " UNION ALL ",
            lapsed!("thumbnail_change = 'pending' AND state IN ('scheduled', 'published')"),
            " UNION ALL ",
            lapsed!("captions_change = 'pending' AND state IN ('scheduled', 'published')"),
            " LIMIT ?2)"
        )
    };
}

/// Writes jobs to the outbox that may be there already.
macro_rules! write_to_outbox {
    ($which:ident) => {
        concat!(
            "INSERT INTO outbox (content_id, generation, written_at_unix) SELECT id, generation, 0 FROM contents",
            $which!(),
            " ON CONFLICT (content_id) DO UPDATE SET generation = excluded.generation, written_at_unix = 0"
        )
    };
}

/// Records that jobs were sent again.
macro_rules! mark_as_sent {
    ($which:ident) => {
        concat!("UPDATE contents SET enqueued_at_unix = ?1", $which!(), " RETURNING id")
    };
}

/// The end of a statement about pending changes whose job used up its attempts, or has been silent for too long.
macro_rules! where_exhausted {
    ($change:literal) => {
        concat!(
            " WHERE id IN (SELECT id FROM contents
                 WHERE ",
            $change,
            " AND state IN ('scheduled', 'published')
                     AND ((delivery_attempt >= ?3 AND claim_ends_at_unix <= ?1 - ?4)
                         OR (enqueued_at_unix <= ?1 - ?5 AND delivery_attempt > 0
                             AND coalesce(claim_ends_at_unix, 0) <= ?1))
                 LIMIT ?2)
             RETURNING id"
        )
    };
}

const FAIL_THUMBNAILS: &str = concat!(
    "UPDATE contents SET thumbnail_change = 'failed', thumbnail_error_code = ?6, claimed_by = NULL,
         claim_ends_at_unix = NULL",
    where_exhausted!("thumbnail_change = 'pending'")
);
/// While both wait, the job is that of the thumbnail.
const FAIL_CAPTIONS: &str = concat!(
    "UPDATE contents SET captions_change = 'failed', captions_error_code = ?6, claimed_by = NULL,
         claim_ends_at_unix = NULL",
    where_exhausted!("captions_change = 'pending' AND thumbnail_change IS NOT 'pending'")
);

impl RecoveryRun {
    /// Recovers as many jobs of each kind as one transaction handles, and returns whether none is left.
    async fn recover(self, database: &impl Database) -> Result<(SilentJobCounts, bool), DatabaseError> {
        let mut batch = Batch::default();
        let failed = batch.query::<()>(self.fail_exhausted());
        let stuck = batch.query::<()>(self.requeue_stuck());
        let waiting = batch.query::<()>(self.requeue_waiting_for_check());
        let thumbnails = batch.query::<()>(self.fail_changes(FAIL_THUMBNAILS));
        let captions = batch.query::<()>(self.fail_changes(FAIL_CAPTIONS));
        let [first, second, third] = self.resend_unclaimed(&mut batch);
        let lapsed = self.resend_lapsed(&mut batch);
        let answers = database.run(batch).await?;
        let queries = [failed, stuck, waiting, thumbnails, captions, first, second, third, lapsed];
        let counts = queries.map(|query| answers.count(query));
        let [failed, stuck, waiting, ..] = counts.map(|count| count as u64);
        let is_last = !counts.into_iter().any(|count| may_have_more(count, self.at_most));
        Ok((SilentJobCounts { failed, requeued: stuck + waiting }, is_last))
    }

    fn statement(self, sql: &'static str) -> Statement {
        Statement::new(sql).bind(self.now).bind(self.at_most)
    }

    fn fail_exhausted(self) -> Statement {
        let failed = ContentState::Processing.next(ContentEvent::AttemptsExhausted);
        self.statement(concat!(
            "UPDATE contents SET state = ?3, error_code = ?4, error_detail = ?5, finished_at_unix = ?1,
                 claimed_by = NULL, claim_ends_at_unix = NULL
             WHERE id IN (
                 SELECT id FROM contents
                 WHERE state = 'processing' AND waits_for IS NULL AND delivery_attempt >= ?6
                     AND claim_ends_at_unix <= ?1 - ?7 AND ",
            edge_was_there!("?10"),
            "
                 UNION ALL
                 SELECT id FROM contents
                 WHERE state = 'processing' AND waits_for IS NULL AND enqueued_at_unix <= ?1 - ?9
                     AND automatic_requeues >= ?8 AND delivery_attempt > 0 AND coalesce(claim_ends_at_unix, 0) <= ?1
                 LIMIT ?2)
             RETURNING id"
        ))
        .bind(failed)
        .bind(ErrorCode::ContentProcessingFailed)
        .bind("Every attempt to process the video ended without a result.")
        .bind(MAX_DELIVERY_ATTEMPTS)
        .bind(LAST_ATTEMPT_GRACE_SECONDS)
        .bind(MAX_AUTOMATIC_REQUEUES)
        .bind(STUCK_AFTER_SECONDS)
        .bind(PREVIOUS_RUN_SECONDS)
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

    /// Fails changes of one kind that used up their attempts. What viewers see stays, and the owner may ask again.
    fn fail_changes(self, sql: &'static str) -> Statement {
        let statement = self.statement(sql).bind(MAX_DELIVERY_ATTEMPTS).bind(LAST_ATTEMPT_GRACE_SECONDS);
        statement.bind(STUCK_AFTER_SECONDS).bind(ErrorCode::ContentProcessingFailed)
    }

    /// Sends the same jobs again. If both messages of one arrive, the second finds the job claimed.
    fn resend_unclaimed(self, batch: &mut Batch) -> [Query<()>; 3] {
        let kinds = [
            (write_to_outbox!(where_unclaimed), mark_as_sent!(where_unclaimed)),
            (write_to_outbox!(where_thumbnail_unclaimed), mark_as_sent!(where_thumbnail_unclaimed)),
            (write_to_outbox!(where_captions_unclaimed), mark_as_sent!(where_captions_unclaimed)),
        ];
        kinds.map(|(write, mark)| {
            batch.execute(self.statement(write).bind(STUCK_AFTER_SECONDS));
            batch.query(self.statement(mark).bind(STUCK_AFTER_SECONDS))
        })
    }

    /// Sends jobs again on which nobody works. The holder of the lapsed claim may still renew it until another origin
    /// takes the job.
    fn resend_lapsed(self, batch: &mut Batch) -> Query<()> {
        let bind = |sql| {
            let statement = self.statement(sql).bind(LAPSED_AFTER_SECONDS).bind(MAX_DELIVERY_ATTEMPTS);
            statement.bind(PREVIOUS_RUN_SECONDS)
        };
        batch.execute(bind(write_to_outbox!(where_lapsed)));
        batch.query(bind(concat!(
            "UPDATE contents SET claim_ends_at_unix = NULL, delivery_attempt = delivery_attempt + 1",
            where_lapsed!(),
            " RETURNING id"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::scene::Scene;
    use futures_executor::block_on;

    #[test]
    fn after_as_many_jobs_as_one_transaction_handles_comes_another_one() {
        let scene = Scene::new();
        scene.claim("a", 1, MAX_DELIVERY_ATTEMPTS);
        scene.pass(2 * LAST_ATTEMPT_GRACE_SECONDS);
        // The edge was there.
        scene.sweep();
        let recover = |at_most| {
            let run = RecoveryRun { now: scene.now(), at_most };
            block_on(run.recover(&scene.world.database)).unwrap()
        };
        assert_eq!(recover(1), (SilentJobCounts { failed: 1, requeued: 0 }, false));
        assert_eq!(recover(1), (SilentJobCounts::default(), true));
    }
}
