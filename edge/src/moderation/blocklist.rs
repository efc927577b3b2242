//! The blocklist: perceptual hashes of frames that must not be shown again.
//!
//! Whoever adds or removes one is on record, in the same transaction. Doing it twice changes and records it once.

use crate::database::{Database, DatabaseError, Statement, all_rows};
use contract::api::{BlockedHash, ChangeHash, DecisionAction};

/// Puts a hash on the list.
pub async fn block(
    database: &impl Database,
    change: &ChangeHash,
    now_unix: u64,
) -> Result<(), DatabaseError> {
    let record = Statement::new(
        "INSERT INTO decisions (action, hash, reason, made_by, decided_at_unix)
         SELECT ?5, ?1, ?2, ?3, ?4 WHERE NOT EXISTS (SELECT 1 FROM blocked_hashes WHERE hash = ?1)",
    );
    let insert = Statement::new(
        "INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (hash) DO NOTHING",
    );
    let record = bind(record, change, now_unix).bind(DecisionAction::BlockHash.as_str());
    let insert = bind(insert, change, now_unix);
    database.batch(vec![record, insert]).await.map(drop)
}

/// Takes a hash off the list.
pub async fn unblock(
    database: &impl Database,
    change: &ChangeHash,
    now_unix: u64,
) -> Result<(), DatabaseError> {
    let record = Statement::new(
        "INSERT INTO decisions (action, hash, reason, made_by, decided_at_unix)
         SELECT ?5, ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM blocked_hashes WHERE hash = ?1)",
    );
    let record = bind(record, change, now_unix).bind(DecisionAction::UnblockHash.as_str());
    let delete = Statement::new("DELETE FROM blocked_hashes WHERE hash = ?1");
    let delete = delete.bind(change.hash.as_str());
    database.batch(vec![record, delete]).await.map(drop)
}

fn bind(statement: Statement, change: &ChangeHash, now_unix: u64) -> Statement {
    statement
        .bind(change.hash.as_str())
        .bind(change.reason.as_str())
        .bind(change.by.as_str())
        .bind(now_unix)
}

/// What follows that hash on the list, in the order of the hashes.
pub async fn list(
    database: &impl Database,
    after: Option<&str>,
    at_most: u32,
) -> Result<Vec<BlockedHash>, DatabaseError> {
    let select = Statement::new(
        "SELECT hash, reason, added_by AS \"by\", added_at_unix, contents.uuid AS content_uuid, at_ms
         FROM blocked_hashes LEFT JOIN contents ON contents.id = content_id
         WHERE hash > ?1 ORDER BY hash LIMIT ?2",
    );
    let select = select.bind(after.unwrap_or_default()).bind(at_most);
    let answers = database.batch(vec![select]).await?;
    all_rows(answers.first())
}
