//! The evidence of contents that moderation had removed, or that were flagged, before their owners deleted them.
//!
//! For the owner, the content is deleted at once. Moderators can view its texts and files until the retention ends, so
//! that an owner cannot remove what a complaint, an authority or a pending decision may need. `life` writes evidence,
//! dismissing the flag deletes it early, and the sweep deletes it when the retention ends.

use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Database, DatabaseError, Query, Statement, Value};
use contract::ContentState;
use contract::limits::MAX_SAFE_INTEGER;
use serde::Deserialize;

/// The default retention of evidence.
pub(crate) const DEFAULT_EVIDENCE_DAYS: u64 = 90;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Evidence {
    pub content_id: u64,
    pub uuid: ContentUuid,
    pub channel_id: ChannelId,
    pub state: ContentState,
    pub caption: Option<String>,
    pub summary: Option<String>,
    pub deleted_at_unix: UnixSeconds,
    pub kept_until_unix: UnixSeconds,
    pub has_video: u8,
}

/// Returns the evidence about contents with smaller ids than `before`, newest first.
pub(crate) async fn list(
    database: &impl Database,
    before: Option<u64>,
    at_most: u32,
) -> Result<Vec<Evidence>, DatabaseError> {
    let select = Statement::new(
        "SELECT content_id, uuid, channel_id, evidence.state, evidence.caption, summary, deleted_at_unix,
             kept_until_unix, media IS NOT NULL AS has_video
         FROM evidence JOIN contents ON contents.id = content_id
         WHERE content_id < ?1 ORDER BY content_id DESC LIMIT ?2",
    );
    database.all(select.bind(before.unwrap_or(MAX_SAFE_INTEGER)).bind(at_most)).await
}

/// Deletes evidence whose retention is over, and returns the number of contents. The sweep then deletes their files, as
/// for every other deleted content.
pub(crate) async fn delete_old(database: &impl Database, now: UnixSeconds) -> Result<u64, DatabaseError> {
    let mut batch = Batch::default();
    let ended = "SELECT content_id FROM evidence WHERE kept_until_unix <= ?1 ORDER BY kept_until_unix LIMIT 500";
    let count = end(&mut batch, ended, &[now.into()]);
    Ok(database.run(batch).await?.count(count) as u64)
}

/// Adds the statements that end the evidence of the contents that a query selects.
pub(super) fn end(batch: &mut Batch, contents: &str, values: &[Value]) -> Query<()> {
    let statement = |sql: String| values.iter().cloned().fold(Statement::new(sql), Statement::bind);
    let sql = |sql: &str| format!("{sql} IN (SELECT content_id FROM evidence WHERE content_id IN ({contents}))");
    batch.execute(statement(sql("UPDATE findings SET note = NULL WHERE note IS NOT NULL AND content_id")));
    batch.execute(statement(sql("DELETE FROM abuse_reports WHERE content_id")));
    batch.execute(statement(sql("DELETE FROM flags WHERE content_id")));
    batch.execute(statement(sql("UPDATE cleanups SET due_at_unix = NULL WHERE content_id")));
    batch.query(statement(format!("DELETE FROM evidence WHERE content_id IN ({contents}) RETURNING content_id")))
}
