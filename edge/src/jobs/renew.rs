//! New jobs for contents whose last one came to nothing, and the end of those that had enough of them.
//!
//! A new generation overtakes whatever may still be running. The database puts its job into the outbox by itself.

use crate::database::{Database, DatabaseError, Rows, Statement, first_row};
use contract::job::MAX_DELIVERIES;
use contract::{ContentState, ErrorCode, Event};
use serde::Deserialize;

/// An origin on its last attempt may be cut off from the edge for so long beyond its claim before it is given up.
const LAST_ATTEMPT_GRACE_SECONDS: u64 = 300;
/// Longer than any job takes, its retries included.
const STUCK_AFTER_SECONDS: u64 = 3 * 3600;
/// With the first, three generations: what hangs in all of them will hang again.
const MAX_RENEWALS: u32 = 2;
/// When a check that could not be made is tried again: later from time to time, because all of the job is done again.
const CHECK_AGAIN_SECONDS: u64 = 300;
const LONGEST_WAITS: u32 = 12;

/// What a new generation begins with.
macro_rules! renew {
    ($more:literal) => {
        concat!(
            "UPDATE contents SET state = 'processing', generation = generation + 1, enqueued_at_unix = ?1,
                 stage = 'queued', progress_percent = 0, claimed_by = NULL, claim_ends_at_unix = NULL,
                 heard_at_unix = NULL, delivery = 0, waits_for = NULL, waits_since_unix = NULL, error_code = NULL,
                 error_detail = NULL, finished_at_unix = NULL, media = NULL, media_generation = NULL, ",
            $more
        )
    };
}

/// What the sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Renewed {
    pub requeued: u64,
    pub failed: u64,
}

/// Fails what had its last attempt, gives new jobs to what is stuck or waits for a check, and sends again what nobody
/// ever took: its message may be lost, or the origins have much to do. That is no failure of it.
pub async fn renew_silent(
    database: &impl Database,
    now_unix: u64,
    at_most: u32,
) -> Result<Renewed, DatabaseError> {
    let statements = [
        give_up(),
        renew_stuck(),
        renew_waiting(),
        send_again(),
        note_sent_again(),
    ];
    let statements = statements.map(|statement| statement(now_unix, at_most));
    let answers = database.batch(statements.into()).await?;
    let count = |index| {
        answers
            .get(index)
            .map_or(0, |rows: &Rows| rows.0.len() as u64)
    };
    Ok(Renewed {
        failed: count(0),
        requeued: count(1) + count(2),
    })
}

type Bind = fn(u64, u32) -> Statement;

fn give_up() -> Bind {
    |now_unix, at_most| {
        let failed = ContentState::Processing.after(Event::GivenUp);
        Statement::new(
            "UPDATE contents SET state = ?3, error_code = ?4, error_detail = ?5, finished_at_unix = ?1,
                 claimed_by = NULL, claim_ends_at_unix = NULL
             WHERE id IN (SELECT id FROM contents
                 WHERE state = 'processing' AND waits_for IS NULL
                     AND ((delivery >= ?6 AND claim_ends_at_unix <= ?1 - ?7)
                         OR (enqueued_at_unix <= ?1 - ?9 AND renewals >= ?8 AND delivery > 0
                             AND coalesce(claim_ends_at_unix, 0) <= ?1))
                 LIMIT ?2)
             RETURNING id",
        )
        .bind(now_unix)
        .bind(at_most)
        .bind(failed.map(ContentState::as_str))
        .bind(ErrorCode::ContentProcessingFailed.as_str())
        .bind("Every attempt to process it ended without a result.")
        .bind(MAX_DELIVERIES)
        .bind(LAST_ATTEMPT_GRACE_SECONDS)
        .bind(MAX_RENEWALS)
        .bind(STUCK_AFTER_SECONDS)
    }
}

/// A statement about so many contents that were sent too long ago.
fn stuck(sql: &'static str, now_unix: u64, at_most: u32) -> Statement {
    let statement = Statement::new(sql).bind(now_unix).bind(at_most);
    statement.bind(STUCK_AFTER_SECONDS)
}

fn renew_stuck() -> Bind {
    |now_unix, at_most| {
        stuck(renew!(
            "renewals = renewals + 1
             WHERE id IN (SELECT id FROM contents
                 WHERE state = 'processing' AND enqueued_at_unix <= ?1 - ?3 AND waits_for IS NULL AND delivery > 0
                     AND coalesce(claim_ends_at_unix, 0) <= ?1
                 LIMIT ?2)
             RETURNING id"
        ), now_unix, at_most)
    }
}

/// The contents that no origin has ever taken, though their job was sent long ago.
macro_rules! never_taken {
    () => {
        " WHERE id IN (SELECT id FROM contents
             WHERE state = 'processing' AND enqueued_at_unix <= ?1 - ?3 AND waits_for IS NULL AND delivery = 0
             ORDER BY enqueued_at_unix, id LIMIT ?2)"
    };
}

/// The same job once more: if both messages arrive, the second one finds it taken.
fn send_again() -> Bind {
    |now_unix, at_most| {
        stuck(
            concat!(
                "INSERT INTO outbox (content_id, generation, written_at_unix) SELECT id, generation, 0 FROM contents",
                never_taken!(),
                " ON CONFLICT (content_id) DO UPDATE SET generation = excluded.generation, written_at_unix = 0"
            ),
            now_unix,
            at_most,
        )
    }
}

fn note_sent_again() -> Bind {
    |now_unix, at_most| {
        stuck(
            concat!("UPDATE contents SET enqueued_at_unix = ?1", never_taken!()),
            now_unix,
            at_most,
        )
    }
}

fn renew_waiting() -> Bind {
    |now_unix, at_most| {
        Statement::new(renew!(
            "renewals = 0
             WHERE id IN (SELECT id FROM contents
                 WHERE state = 'processing' AND waits_for = 'check'
                     AND waits_since_unix + ?3 * min(waits, ?4) <= ?1
                 LIMIT ?2)
             RETURNING id"
        ))
        .bind(now_unix)
        .bind(at_most)
        .bind(CHECK_AGAIN_SECONDS)
        .bind(LONGEST_WAITS)
    }
}

/// What came of somebody's wish for a new job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requeued {
    Job {
        content_id: u64,
        generation: u64,
    },
    /// It is in a state in which nothing is processed.
    Conflict(ContentState),
    Unknown,
}

/// A new job for a content that failed or is being processed.
pub async fn requeue(
    database: &impl Database,
    content_uuid: &str,
    now_unix: u64,
) -> Result<Requeued, DatabaseError> {
    #[derive(Deserialize)]
    struct Content {
        id: u64,
        generation: u64,
        state: ContentState,
    }
    let renew = Statement::new(renew!(
        "renewals = 0, waits = 0 WHERE uuid = ?2 AND state IN ('failed', 'processing') RETURNING id"
    ));
    let read = Statement::new("SELECT id, generation, state FROM contents WHERE uuid = ?1");
    let statements = vec![
        renew.bind(now_unix).bind(content_uuid),
        read.bind(content_uuid),
    ];
    let answers = database.batch(statements).await?;
    let is_renewed = answers.first().is_some_and(|rows| !rows.0.is_empty());
    let content: Option<Content> = first_row(answers.get(1))?;
    Ok(match content {
        None => Requeued::Unknown,
        Some(content) if !is_renewed => Requeued::Conflict(content.state),
        Some(content) => Requeued::Job {
            content_id: content.id,
            generation: content.generation,
        },
    })
}
