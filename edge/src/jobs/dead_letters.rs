//! Dead letters, as the database knows them: jobs that were given up although their files may be
//! good, with the last error of each.
//! Listing them does not touch the messages in the dead-letter queue.

use crate::base::ids::ContentUuid;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use contract::api::DeadLetter;
use contract::limits::MAX_SAFE_INTEGER;

/// Returns the dead letters with a smaller number than `before`, the newest jobs first.
pub(crate) async fn list(
    database: &impl Database,
    before: Option<u64>,
    at_most: u32,
) -> Result<Vec<DeadLetter>, DatabaseError> {
    let select = Statement::new(
        "SELECT jobs.id AS number, uuid AS content_uuid, jobs.generation, kind AS work,
             jobs.error_code AS error_message_code, jobs.error_detail AS detail, claimed_by AS origin,
             undecided_failures, silences, ended_at_unix AS died_at_unix
         FROM jobs JOIN contents ON contents.id = content_id
         WHERE jobs.state = 'dead' AND jobs.id < ?1 ORDER BY jobs.id DESC LIMIT ?2",
    );
    database.all(select.bind(before.unwrap_or(MAX_SAFE_INTEGER)).bind(at_most)).await
}

/// Forgets the dead letters of a content, and records who did. Returns false if there is none.
pub(crate) async fn forget(
    database: &impl Database,
    content_uuid: &ContentUuid,
    by: &str,
) -> Result<bool, DatabaseError> {
    let record = Statement::new(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT ?2, 'dead_letter_dropped', 'content:' || uuid, jobs.error_code
         FROM jobs JOIN contents ON contents.id = content_id WHERE uuid = ?1 AND jobs.state = 'dead'",
    );
    let forget = crate::contents::life::claim::forget_dead(content_uuid);
    let mut batch = Batch::default();
    batch.execute(record.bind(content_uuid).bind(by));
    let forgotten = batch.query::<()>(forget);
    Ok(database.run(batch).await?.has_rows(forgotten))
}
