//! How long events are kept.

use crate::ports::database::{Database, DatabaseError, Statement};
use crate::unix_seconds::UnixSeconds;

/// How long a client has to read an event.
const RETENTION_SECONDS: u64 = 30 * 86_400;

/// How many of the oldest events one statement looks at, and how many statements a run makes. It runs every minute.
const BATCH: u32 = 500;
const ROUNDS: u32 = 20;

/// Deletes the oldest events if their time is over, and returns their number. Ids follow the order of time, so the
/// events with the smallest ids are the oldest.
pub(crate) async fn delete_old(database: &impl Database, now: UnixSeconds) -> Result<u64, DatabaseError> {
    let mut total = 0;
    for _ in 0..ROUNDS {
        let delete = Statement::new(
            "DELETE FROM events WHERE id IN (
                 SELECT id FROM (SELECT id, happened_at_unix FROM events ORDER BY id LIMIT ?2)
                 WHERE happened_at_unix < ?1 - ?3)
             RETURNING id",
        );
        let deleted = database.count_returned(delete.bind(now).bind(BATCH).bind(RETENTION_SECONDS)).await?;
        total += deleted as u64;
        if deleted < BATCH as usize {
            break;
        }
    }
    Ok(total)
}
