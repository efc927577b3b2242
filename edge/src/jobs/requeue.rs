//! A new generation of a content: its job starts again from the beginning.
//!
//! A new generation makes every older job obsolete, even one that is still running. A trigger puts the new job into the
//! outbox.

use crate::ids::ContentUuid;
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::unix_seconds::UnixSeconds;
use contract::{ContentState, JOB_VERSION, JobMessage};
use serde::Deserialize;

/// The UPDATE that starts a new generation. `?1` is now; the argument is the rest of the statement.
macro_rules! start_generation {
    ($rest:literal) => {
        concat!(
            "UPDATE contents SET state = 'processing', generation = generation + 1, enqueued_at_unix = ?1,
                 stage = 'queued', progress_percent = 0, claimed_by = NULL, claim_ends_at_unix = NULL,
                 last_signed_at_unix = NULL, delivery_attempt = 0, waits_for = NULL, waits_since_unix = NULL,
                 error_code = NULL, error_detail = NULL, finished_at_unix = NULL, media = NULL,
                 media_generation = NULL, ",
            $rest
        )
    };
}
pub(super) use start_generation;

/// The result of a request to process a content again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequeueOutcome {
    /// The content is processing, with this new job. It is held if enough jobs of its channel are in the queue.
    Requeued {
        job: JobMessage,
        is_held: bool,
    },
    /// A content in this state cannot be processed again.
    Conflict(ContentState),
    UnknownContent,
}

/// Starts a new generation of a content that failed or is processing, and records in the trail who did.
pub(crate) async fn requeue(
    database: &impl Database,
    content_uuid: &ContentUuid,
    by: &str,
    now: UnixSeconds,
) -> Result<RequeueOutcome, DatabaseError> {
    #[derive(Deserialize)]
    struct RequeuedContent {
        id: u64,
        generation: u64,
        state: ContentState,
        traceparent: Option<String>,
        is_held: u8,
    }
    let start = Statement::new(start_generation!(
        "automatic_requeues = 0, check_waits = 0
         WHERE uuid = ?2 AND state IN ('failed', 'processing') RETURNING id"
    ));
    let read = Statement::new(
        "SELECT id, generation, state, traceparent, EXISTS (SELECT 1 FROM held_jobs
             WHERE held_jobs.channel_id = contents.channel_id AND held_jobs.content_id = contents.id) AS is_held
         FROM contents WHERE uuid = ?1",
    );
    let mut batch = Batch::default();
    batch.execute(record(content_uuid, by));
    let started = batch.query::<()>(start.bind(now).bind(content_uuid));
    let content = batch.query::<RequeuedContent>(read.bind(content_uuid));
    let answers = database.run(batch).await?;
    let is_started = answers.has_rows(started);
    Ok(match answers.first(content)? {
        None => RequeueOutcome::UnknownContent,
        Some(content) if !is_started => RequeueOutcome::Conflict(content.state),
        Some(RequeuedContent { id: content_id, generation, traceparent, is_held, .. }) => {
            let content_uuid = content_uuid.to_string();
            let version = JOB_VERSION;
            let job = JobMessage { version, content_id, content_uuid, generation, traceparent };
            RequeueOutcome::Requeued { job, is_held: is_held != 0 }
        }
    })
}

/// The entry of the trail, whose detail is the state and the error that the new job replaces.
fn record(content_uuid: &ContentUuid, by: &str) -> Statement {
    let record = Statement::new(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT ?2, 'job_requeued', 'content:' || uuid, state || coalesce(': ' || error_code, '')
         FROM contents WHERE uuid = ?1 AND state IN ('failed', 'processing')",
    );
    record.bind(content_uuid).bind(by)
}
