//! The trail: who did what, when and about what. Triggers write it in the transaction of the change, and the database
//! refuses to change it.

use crate::ports::database::{Database, DatabaseError, Statement};
use contract::api::TrailEntry;
use contract::limits::MAX_SAFE_INTEGER;

/// Returns the entries with a smaller number than `before`, the newest first.
pub(crate) async fn list(
    database: &impl Database,
    before: Option<u64>,
    at_most: u32,
) -> Result<Vec<TrailEntry>, DatabaseError> {
    let select = Statement::new(
        "SELECT id AS number, happened_at_unix, actor, action, subject, detail FROM trail
         WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
    );
    database.all(select.bind(before.unwrap_or(MAX_SAFE_INTEGER)).bind(at_most)).await
}
