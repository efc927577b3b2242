//! Files of contents that moderators removed. An exact copy is refused before it becomes a content, until every removed
//! content with the file has been restored.

use crate::platform::database::{Database, DatabaseError, Statement};

/// Whether a moderator removed a content with this file.
pub(crate) async fn is_blocked_file(database: &impl Database, sha256: &str) -> Result<bool, DatabaseError> {
    let select = Statement::new("SELECT sha256 FROM blocked_files WHERE sha256 = ?1 LIMIT 1");
    database.returns_rows(select.bind(sha256)).await
}
