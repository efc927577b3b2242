//! Captions that come with an upload.
//!
//! Their files are recorded as garbage until the transaction that creates the content makes them wanted. Their job
//! starts when the content is approved, like the job of captions that are sent while the content is processed.

use super::update_outcome::STORING_SECONDS;
use crate::base::ids::{ContentUuid, UploadUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, json_text};
use serde::Serialize;

/// The captions of one language, by the name under which they are stored.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FirstCaptions {
    pub name: UploadUuid,
    pub language: String,
    pub sha256: String,
}

/// Records files as garbage. They may be stored afterwards.
pub(crate) async fn record(
    database: &impl Database,
    captions: &[FirstCaptions],
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    let insert = Statement::new(
        "INSERT INTO garbage (upload_uuid, lease_ends_at_unix) SELECT value ->> '$.name', ?2 FROM json_each(?1) WHERE 1
         ON CONFLICT (upload_uuid) DO NOTHING",
    );
    database.execute(insert.bind(json_text(captions)?).bind(now + STORING_SECONDS)).await
}

/// Adds the statements that give a new content these captions. Skips files that the sweep may have deleted; the caller
/// makes sure that there are none.
pub(crate) fn add(
    batch: &mut Batch,
    content_uuid: &ContentUuid,
    captions: &[FirstCaptions],
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    let insert = Statement::new(
        "INSERT INTO captions (name, content_id, language, sha256)
         SELECT upload_uuid, contents.id, value ->> '$.language', value ->> '$.sha256'
         FROM json_each(?2) JOIN garbage ON upload_uuid = value ->> '$.name' AND lease_ends_at_unix > ?3
             JOIN contents ON contents.uuid = ?1
         WHERE 1
         ON CONFLICT (name) DO NOTHING",
    );
    batch.execute(insert.bind(content_uuid).bind(json_text(captions)?).bind(now));
    let keep = Statement::new(
        "DELETE FROM garbage WHERE upload_uuid IN (SELECT value FROM json_each(?1) JOIN captions ON captions.name = value)",
    );
    batch.execute(keep.bind(names_json(captions)?));
    Ok(())
}

/// Returns the names of the files in JSON.
pub(crate) fn names_json(captions: &[FirstCaptions]) -> Result<String, DatabaseError> {
    let names: Vec<&UploadUuid> = captions.iter().map(|captions| &captions.name).collect();
    json_text(&names)
}
