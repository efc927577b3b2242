//! The retention of events.

use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, may_have_more};
use contract::limits::EVENT_LOG_SECONDS;

/// The number of oldest events that one statement checks, and of statements in one run. It runs every minute.
const BATCH: u32 = 500;
const ROUNDS: u32 = 20;

/// Deletes the oldest events that have expired, and returns their number. Ids follow the order of time, so the events
/// with the smallest ids are the oldest.
pub(crate) async fn delete_old(database: &impl Database, now: UnixSeconds) -> Result<u64, DatabaseError> {
    let mut total = 0;
    for _ in 0..ROUNDS {
        let expired = "SELECT id, channel_id FROM (
             SELECT id, channel_id, happened_at_unix FROM events ORDER BY id LIMIT ?2) WHERE happened_at_unix < ?1 - ?3";
        let bind = |sql: String| Statement::new(sql).bind(now).bind(BATCH).bind(EVENT_LOG_SECONDS);
        let mut batch = Batch::default();
        batch.execute(bind(format!(
            "DELETE FROM webhook_deliveries WHERE (webhook_id, event_id) IN (
                 SELECT webhooks.id, expired.id FROM ({expired}) AS expired
                     JOIN webhooks ON webhooks.channel_id = expired.channel_id)"
        )));
        let deleted = batch
            .query::<()>(bind(format!("DELETE FROM events WHERE id IN (SELECT id FROM ({expired})) RETURNING id")));
        let deleted = database.run(batch).await?.count(deleted);
        total += deleted as u64;
        if !may_have_more(deleted, BATCH) {
            break;
        }
    }
    Ok(total)
}
