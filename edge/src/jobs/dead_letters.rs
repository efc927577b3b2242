//! Dead letters, as the database knows them: jobs whose delivery attempts are used up, with the last error of each.
//! Triggers write them (`edge/migrations/0025_dead_letters.sql`). Listing them leaves the messages in their queue
//! alone.

use crate::ids::ContentUuid;
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use contract::api::DeadLetter;
use contract::limits::MAX_SAFE_INTEGER;

/// Returns the dead letters with a smaller number than `before`, the newest first.
pub(crate) async fn list(
    database: &impl Database,
    before: Option<u64>,
    at_most: u32,
) -> Result<Vec<DeadLetter>, DatabaseError> {
    let select = Statement::new(
        "SELECT dead_letters.id AS number, uuid AS content_uuid, dead_letters.generation,
             coalesce(work, iif(state = 'failed', 'video', 'thumbnail')) AS work, dead_letters.error_code AS error_message_code,
             dead_letters.error_detail AS detail, origin, delivery_attempts, died_at_unix
         FROM dead_letters JOIN contents ON contents.id = content_id
         WHERE dead_letters.id < ?1 ORDER BY dead_letters.id DESC LIMIT ?2",
    );
    database.all(select.bind(before.unwrap_or(MAX_SAFE_INTEGER)).bind(at_most)).await
}

/// Forgets the dead letter of a content, and records who did. Returns false if there is none.
pub(crate) async fn forget(
    database: &impl Database,
    content_uuid: &ContentUuid,
    by: &str,
) -> Result<bool, DatabaseError> {
    let record = Statement::new(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT ?2, 'dead_letter_dropped', 'content:' || uuid, dead_letters.error_code
         FROM dead_letters JOIN contents ON contents.id = content_id WHERE uuid = ?1",
    );
    let forget = Statement::new(
        "DELETE FROM dead_letters WHERE content_id = (SELECT id FROM contents WHERE uuid = ?1) RETURNING id",
    );
    let mut batch = Batch::default();
    batch.execute(record.bind(content_uuid).bind(by));
    let forgotten = batch.query::<()>(forget.bind(content_uuid));
    Ok(database.run(batch).await?.has_rows(forgotten))
}
