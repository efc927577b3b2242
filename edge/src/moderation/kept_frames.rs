//! The frame hashes of every report, kept in the object store beside the files of its job.
//!
//! A moderator may take a video down long after its publication, and its hashes are blocked then. They would fill most
//! of the database. In the object store they cost little, and they are deleted together with the files.

use crate::ids::ContentUuid;
use crate::ports::database::{Database, DatabaseError, Statement};
use crate::ports::error::PlatformError;
use crate::ports::object_store::{ObjectStore, Segment};
use contract::ObjectKey;
use contract::job::{JobOutcome, JobReport};
use contract::moderation::FrameHash;
use serde::Deserialize;

/// Stores the hashes of a report. The name contains its fingerprint, so that no other report can replace them.
pub(crate) async fn keep_frames(
    objects: &impl ObjectStore,
    report: &JobReport,
    fingerprint: &str,
) -> Result<(), PlatformError> {
    let JobOutcome::Processed { frames, .. } = &report.outcome else {
        return Ok(());
    };
    let text = serde_json::to_vec(frames).map_err(|error| PlatformError(error.to_string()))?;
    let mut segment = objects.segment(text.len());
    segment.append(&text);
    let (content_uuid, generation) = (report.id.content_uuid.as_str(), report.id.generation);
    objects.put(&ObjectKey::FrameHashes { content_uuid, generation, fingerprint }.path(), &[segment]).await
}

/// Returns the stored frame hashes of a content. The list is empty if the content is unknown, has no files, or was
/// reported before hashes were kept.
pub(crate) async fn read_kept_frames(
    database: &impl Database,
    objects: &impl ObjectStore,
    content_uuid: &ContentUuid,
) -> Result<Vec<FrameHash>, PlatformError> {
    let name = name_of_kept_frames(database, content_uuid).await;
    let Some(name) = name.map_err(|error| PlatformError(error.to_string()))? else {
        return Ok(Vec::new());
    };
    read_frames(objects, &name).await
}

/// Returns the hashes in an object, or none if it does not exist.
pub(super) async fn read_frames(objects: &impl ObjectStore, name: &str) -> Result<Vec<FrameHash>, PlatformError> {
    let Some(text) = objects.read_whole(name).await? else {
        return Ok(Vec::new());
    };
    serde_json::from_slice(&text).map_err(|error| PlatformError(error.to_string()))
}

async fn name_of_kept_frames(
    database: &impl Database,
    content_uuid: &ContentUuid,
) -> Result<Option<String>, DatabaseError> {
    #[derive(Deserialize)]
    struct ReportRow {
        generation: u64,
        fingerprint: String,
    }
    let select = Statement::new(
        "SELECT reports.generation, fingerprint
         FROM contents JOIN reports ON content_id = contents.id AND reports.generation = media_generation
         WHERE uuid = ?1",
    );
    let row: Option<ReportRow> = database.first(select.bind(content_uuid)).await?;
    let content_uuid = content_uuid.as_str();
    let name = |row: ReportRow| {
        let ReportRow { generation, fingerprint } = row;
        ObjectKey::FrameHashes { content_uuid, generation, fingerprint: &fingerprint }.path()
    };
    Ok(row.map(name))
}
