//! The transaction that makes the rows of compacted contents short.
//!
//! `id = id` looks idle, but it makes SQLite delete the row and insert it again. Otherwise the row would shrink in its
//! page, the page would keep its place, and the database would not become smaller by a byte.

use super::is_compactable;
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use serde::Serialize;

/// A content whose details are stored.
#[derive(Debug, Serialize)]
pub(crate) struct CompactedRow {
    /// The columns that a change of the content changes, as they were read.
    pub(super) snapshot: String,
    /// The short form, if there is one.
    pub(super) slug_url: Option<String>,
    pub(super) media: Option<String>,
}

/// The contents of `?1` that have not changed since they were read. Every change of what is stored elsewhere changes
/// one of these columns.
macro_rules! unchanged {
    ($columns:literal) => {
        concat!(
            "(SELECT ",
            $columns,
            " FROM (SELECT value ->> '$.snapshot' AS snapshot, value ->> '$.slug_url' AS short_slug,
                  value ->> '$.media' AS short_media FROM json_each(?1))
              CROSS JOIN contents ON contents.id = snapshot ->> '$.id'
              WHERE ",
            is_compactable!(),
            " AND (thumbnail_change IS NOT 'pending' AND captions_change IS NOT 'pending' OR contents.state <> 'published')
                  AND contents.state = snapshot ->> '$.state' AND contents.generation = snapshot ->> '$.generation'
                  AND captions_generation IS snapshot ->> '$.captions_generation'
                  AND thumbnail_generation IS snapshot ->> '$.thumbnail_generation'
                  AND finished_at_unix = snapshot ->> '$.finished_at_unix' AND caption IS snapshot ->> '$.caption')"
        )
    };
}

/// A report that came while a check was awaited may have left hashes.
const DELETE_FRAMES: &str = concat!("DELETE FROM frame_hashes WHERE content_id IN ", unchanged!("contents.id"));
const DELETE_FINDINGS: &str = concat!("DELETE FROM findings WHERE content_id IN ", unchanged!("contents.id"));
const DELETE_REPORTS: &str = concat!("DELETE FROM reports WHERE content_id IN ", unchanged!("contents.id"));

/// A token stays, so that a repeated upload never creates a second video. Half of its fingerprint distinguishes uploads
/// as well. The source is deleted, so its name is not needed.
const SHORTEN_UPLOADS: &str = concat!(
    "UPDATE uploads SET id = id, uuid = CAST(id AS TEXT), lease_ends_at_unix = 0, multipart_id = NULL,
         fingerprint = iif(upload_token IS NULL, NULL, substr(fingerprint, 1, 32)),
         limit_day = iif(upload_token IS NULL, NULL, limit_day),
         limit_amount = iif(upload_token IS NULL, NULL, limit_amount),
         limit_used = iif(upload_token IS NULL, NULL, limit_used),
         scheduled_publish_at_unix = iif(upload_token IS NULL, NULL, scheduled_publish_at_unix)
     WHERE id IN ",
    unchanged!("upload_id")
);

const SHORTEN_CONTENTS: &str = concat!(
    "UPDATE contents SET id = contents.id, is_compacted = 1, expanded_at_unix = NULL, slug_url = coalesce(short_slug, slug_url),
         media = found.media, file_sha256 = '', claimed_by = NULL, claim_ends_at_unix = NULL, last_signed_at_unix = NULL,
         traceparent = NULL, automatic_requeues = 0, check_waits = 0
     FROM ",
    unchanged!("contents.id AS id, short_slug, short_media AS media"),
    " AS found WHERE contents.id = found.id RETURNING contents.id"
);

/// Makes the rows short, except those that have changed since they were read. Returns how many there were.
pub(crate) async fn shorten(database: &impl Database, rows: &[CompactedRow]) -> Result<u64, DatabaseError> {
    if rows.is_empty() {
        return Ok(0);
    }
    let rows = serde_json::to_string(rows).map_err(|error| DatabaseError::Shape(error.to_string()))?;
    let mut batch = Batch::default();
    for sql in [DELETE_FRAMES, DELETE_FINDINGS, DELETE_REPORTS, SHORTEN_UPLOADS] {
        batch.execute(Statement::new(sql).bind(rows.as_str()));
    }
    let shortened = batch.query::<()>(Statement::new(SHORTEN_CONTENTS).bind(rows));
    Ok(database.run(batch).await?.count(shortened) as u64)
}
