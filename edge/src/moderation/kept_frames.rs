//! The frame hashes of every report about a video, kept in the object store beside the files of its job.
//!
//! A moderator may take a video down long after its publication, which blocks its hashes. They would fill most of the
//! database. In the object store they cost little, and they are deleted together with the files.

use crate::base::ids::ContentUuid;
use crate::contents::compaction::read_details;
use crate::platform::database::{Database, DatabaseError, Statement};
use crate::platform::error::PlatformError;
use crate::platform::object_store::{ObjectStore, Segment};
use contract::ObjectKey;
use contract::job::{JobOutcome, JobReport};
use contract::moderation::FrameHash;
use serde::Deserialize;

/// Stores the hashes of a report. The name contains its fingerprint, so that no other report can replace them. The
/// report of a completion takes over those of the first job, whose folder will be deleted.
pub(crate) async fn store_frames(
    database: &impl Database,
    objects: &impl ObjectStore,
    report: &JobReport,
    fingerprint: &str,
) -> Result<(), PlatformError> {
    let earlier;
    let frames = match &report.outcome {
        JobOutcome::Processed { frames, .. } => frames,
        JobOutcome::Completed { .. } => {
            let content_uuid = ContentUuid::new(&report.id.content_uuid);
            let Some(kept) = find_kept_frames(database, &content_uuid).await? else { return Ok(()) };
            if kept.generation == report.id.generation {
                return Ok(());
            }
            earlier = KeptFrames { thumbnail_frames: None, ..kept }.read(objects, &content_uuid).await?;
            &earlier
        }
        _ => return Ok(()),
    };
    let text = serde_json::to_vec(frames).map_err(|error| PlatformError::Failed(error.to_string()))?;
    let mut segment = objects.segment(text.len());
    segment.append(&text);
    let (content_uuid, generation) = (report.id.content_uuid.as_str(), report.id.generation);
    objects.put(&ObjectKey::FrameHashes { content_uuid, generation, fingerprint }.path(), &[segment]).await
}

/// Returns the stored frame hashes of a content and of its later thumbnail, if there is one. Returns none if the
/// content is unknown or has no files.
pub(crate) async fn read_kept_frames(
    database: &impl Database,
    objects: &impl ObjectStore,
    content_uuid: &ContentUuid,
) -> Result<Vec<FrameHash>, PlatformError> {
    match find_kept_frames(database, content_uuid).await? {
        Some(kept) => kept.read(objects, content_uuid).await,
        None => Ok(Vec::new()),
    }
}

/// The places of a content's frame hashes: an object, and a column for the hashes of a later thumbnail.
#[derive(Deserialize)]
pub(super) struct KeptFrames {
    generation: u64,
    /// Null for a compacted content: its hashes are among its details.
    fingerprint: Option<String>,
    thumbnail_frames: Option<String>,
}

impl KeptFrames {
    /// Returns the hashes. A missing object counts as empty.
    pub(super) async fn read(
        &self,
        objects: &impl ObjectStore,
        content_uuid: &ContentUuid,
    ) -> Result<Vec<FrameHash>, PlatformError> {
        let Self { generation, fingerprint, thumbnail_frames } = self;
        let generation = *generation;
        let object = if let Some(fingerprint) = fingerprint {
            let name = ObjectKey::FrameHashes { content_uuid: content_uuid.as_str(), generation, fingerprint }.path();
            objects.read_whole(&name).await?
        } else {
            Some(read_details(objects, content_uuid, generation).await?.rows("frames").into_bytes())
        };
        let mut frames = Vec::new();
        for text in [object.as_deref(), thumbnail_frames.as_deref().map(str::as_bytes)].into_iter().flatten() {
            let read: Vec<FrameHash> =
                serde_json::from_slice(text).map_err(|error| PlatformError::Failed(error.to_string()))?;
            frames.extend(read);
        }
        Ok(frames)
    }
}

async fn find_kept_frames(
    database: &impl Database,
    content_uuid: &ContentUuid,
) -> Result<Option<KeptFrames>, DatabaseError> {
    let select = Statement::new(
        "SELECT media_generation AS generation, fingerprint, thumbnail ->> '$.frames' AS thumbnail_frames
         FROM contents LEFT JOIN reports ON content_id = contents.id AND reports.generation = media_generation
         WHERE uuid = ?1 AND media_generation IS NOT NULL AND (fingerprint IS NOT NULL OR is_compacted = 1)",
    );
    database.first(select.bind(content_uuid)).await
}
