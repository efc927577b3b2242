//! The evidence of contents that moderation had removed, or that were flagged, before their owners deleted them.
//!
//! The owner sees it deleted at once. Moderators can still look at its texts and files until the retention ends, so
//! that nobody can remove what a complaint or an authority may ask for, or what a person has yet to decide about.
//! `owner_changes` writes it, the dismissal of the flag ends it early, and the sweep ends it.

use crate::ids::{ChannelId, ContentUuid};
use crate::ports::database::{Database, DatabaseError, Statement};
use crate::unix_seconds::UnixSeconds;
use contract::ContentState;
use contract::limits::MAX_SAFE_INTEGER;
use serde::Deserialize;

/// The time for which evidence is kept, unless the operator sets another one.
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

/// Deletes the evidence whose retention is over, and returns how much that was.
pub(crate) async fn delete_old(database: &impl Database, now: UnixSeconds) -> Result<u64, DatabaseError> {
    let delete = Statement::new(
        "DELETE FROM evidence WHERE content_id IN
             (SELECT content_id FROM evidence WHERE kept_until_unix <= ?1 LIMIT 500) RETURNING content_id",
    );
    Ok(database.count_returned(delete.bind(now)).await? as u64)
}
