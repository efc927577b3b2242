//! The blocklist: perceptual hashes of frames that must not be published again.
//!
//! Each change is recorded in the same transaction, with the moderator who made it. A repeated change has no effect and
//! is recorded once.

use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::unix_seconds::UnixSeconds;
use contract::api::{BlockedHash, ChangeHash, DecisionAction};

/// Adds a hash to the list.
pub(crate) async fn block(
    database: &impl Database,
    change: &ChangeHash,
    by: &str,
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    let record = Statement::new(
        "INSERT INTO decisions (action, hash, reason, made_by, decided_at_unix)
         SELECT ?5, ?1, ?2, ?3, ?4 WHERE NOT EXISTS (SELECT 1 FROM blocked_hashes WHERE hash = ?1)",
    );
    let insert = Statement::new(
        "INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (hash) DO NOTHING",
    );
    let mut batch = Batch::default();
    batch.execute(bind(record, change, by, now).bind(DecisionAction::BlockHash));
    batch.execute(bind(insert, change, by, now));
    database.run(batch).await.map(drop)
}

/// Removes a hash from the list.
pub(crate) async fn unblock(
    database: &impl Database,
    change: &ChangeHash,
    by: &str,
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    let record = Statement::new(
        "INSERT INTO decisions (action, hash, reason, made_by, decided_at_unix)
         SELECT ?5, ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM blocked_hashes WHERE hash = ?1)",
    );
    let delete = Statement::new("DELETE FROM blocked_hashes WHERE hash = ?1");
    let mut batch = Batch::default();
    batch.execute(bind(record, change, by, now).bind(DecisionAction::UnblockHash));
    batch.execute(delete.bind(change.hash.as_str()));
    database.run(batch).await.map(drop)
}

fn bind(statement: Statement, change: &ChangeHash, by: &str, now: UnixSeconds) -> Statement {
    statement.bind(change.hash.as_str()).bind(change.reason.as_str()).bind(by).bind(now)
}

/// Returns the hashes that follow `after`, in ascending order.
pub(crate) async fn list(
    database: &impl Database,
    after: Option<&str>,
    at_most: u32,
) -> Result<Vec<BlockedHash>, DatabaseError> {
    let select = Statement::new(
        "SELECT hash, reason, added_by AS \"by\", added_at_unix, contents.uuid AS content_uuid, at_ms
         FROM blocked_hashes LEFT JOIN contents ON contents.id = content_id
         WHERE hash > ?1 ORDER BY hash LIMIT ?2",
    );
    database.all(select.bind(after.unwrap_or_default()).bind(at_most)).await
}
