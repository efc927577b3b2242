//! The blocklist: perceptual hashes of frames that must not be published again.
//!
//! Each change is recorded in the same transaction, with the moderator who made it. A repeated change has no effect and
//! is recorded once.
//!
//! A blocked hash has a row for each removed content that has such a frame, and another if a moderator added it
//! directly. Restoring a content deletes only its own row. Unblocking a hash deletes all of them.

use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, json_text};
use contract::api::{BlockedHash, DecisionAction};

/// A change of the list: one hash, or several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HashesChange<'a> {
    pub hashes: &'a [&'a str],
    pub reason: &'a str,
    pub by: &'a str,
}

/// Adds hashes to the list, and returns how many of them no moderator had added directly.
pub(crate) async fn block(
    database: &impl Database,
    change: HashesChange<'_>,
    now: UnixSeconds,
) -> Result<usize, DatabaseError> {
    let record = Statement::new(
        "INSERT INTO decisions (action, hash, reason, made_by, decided_at_unix)
         SELECT DISTINCT ?5, value, ?2, ?3, ?4 FROM json_each(?1)
         WHERE NOT EXISTS (SELECT 1 FROM blocked_hashes WHERE hash = value AND content_uuid = '')",
    );
    let insert = Statement::new(
        "INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix)
         SELECT value, ?2, ?3, ?4 FROM json_each(?1) WHERE true
         ON CONFLICT (hash, content_uuid) DO NOTHING RETURNING 1 AS added",
    );
    let mut batch = Batch::default();
    batch.execute(change.bind(record, now)?.bind(DecisionAction::BlockHash));
    let note = Statement::new(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT DISTINCT ?3, ?4, 'hash:' || value, ?2 FROM json_each(?1)
         WHERE NOT EXISTS (SELECT 1 FROM blocked_hashes WHERE hash = value AND content_uuid = '')",
    );
    batch.execute(change.note(note, DecisionAction::BlockHash)?);
    let added = batch.query::<()>(change.bind(insert, now)?);
    Ok(database.run(batch).await?.count(added))
}

/// Removes hashes from the list.
pub(crate) async fn unblock(
    database: &impl Database,
    change: HashesChange<'_>,
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    let record = Statement::new(
        "INSERT INTO decisions (action, hash, reason, made_by, decided_at_unix)
         SELECT ?5, value, ?2, ?3, ?4 FROM (SELECT DISTINCT value FROM json_each(?1))
         WHERE EXISTS (SELECT 1 FROM blocked_hashes WHERE hash = value)",
    );
    let delete = Statement::new("DELETE FROM blocked_hashes WHERE hash IN (SELECT value FROM json_each(?1))");
    let mut batch = Batch::default();
    batch.execute(change.bind(record, now)?.bind(DecisionAction::UnblockHash));
    let note = Statement::new(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT ?3, ?4, 'hash:' || value, ?2 FROM (SELECT DISTINCT value FROM json_each(?1))
         WHERE EXISTS (SELECT 1 FROM blocked_hashes WHERE hash = value)",
    );
    batch.execute(change.note(note, DecisionAction::UnblockHash)?);
    batch.execute(delete.bind(json_text(change.hashes)?));
    database.run(batch).await.map(drop)
}

impl HashesChange<'_> {
    fn note(self, statement: Statement, action: DecisionAction) -> Result<Statement, DatabaseError> {
        Ok(statement.bind(json_text(self.hashes)?).bind(self.reason).bind(self.by).bind(action))
    }

    fn bind(self, statement: Statement, now: UnixSeconds) -> Result<Statement, DatabaseError> {
        Ok(statement.bind(json_text(self.hashes)?).bind(self.reason).bind(self.by).bind(now))
    }
}

/// Selects how many contents the hash `blocked_hashes.hash` has caught, without reading more rows than it can report.
pub(super) const CAUGHT_COLUMN: &str = "
    (SELECT count(*) FROM (SELECT 1 FROM blocklist_catches WHERE blocklist_catches.hash = blocked_hashes.hash
                           LIMIT 100)) AS caught";

/// Selects the hashes that follow ?1 in ascending order, each with the first reason for which it is blocked.
fn select_hashes(caught: &str) -> Statement {
    Statement::new(format!(
        "SELECT hash, reason, added_by AS \"by\", min(added_at_unix) AS added_at_unix,
             nullif(content_uuid, '') AS content_uuid, at_ms, {caught}
         FROM blocked_hashes WHERE hash > ?1 GROUP BY hash ORDER BY hash LIMIT ?2"
    ))
}

/// Returns the hashes that follow `after`, with what they have caught.
pub(crate) async fn list(
    database: &impl Database,
    after: Option<&str>,
    at_most: u32,
) -> Result<Vec<BlockedHash>, DatabaseError> {
    database.all(select_hashes(CAUGHT_COLUMN).bind(after.unwrap_or_default()).bind(at_most)).await
}

/// Returns the hashes that follow `after`, as other services may read them.
pub(crate) async fn export(
    database: &impl Database,
    after: &str,
    at_most: u32,
) -> Result<Vec<BlockedHash>, DatabaseError> {
    database.all(select_hashes("NULL AS caught").bind(after).bind(at_most)).await
}
