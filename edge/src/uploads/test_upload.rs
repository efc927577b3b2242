//! The commit of an upload with the field `test`: a test video instead of a content, and no file.
//!
//! Until then, the upload is like any other: it holds a slot, and its file is received and judged. The commit gives the
//! slot back, and the objects become garbage at once.

use super::new_content::NewContent;
use super::roll_back::StoredLeftovers;
use super::slot::reservation::forget_garbage;
use super::stored_objects::remove_objects;
use crate::base::ids::UploadUuid;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::test_videos::first_step_seconds;
use crate::platform::Platform;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use contract::job::{Quality, StoredFile, StoredMedia};
use contract::limits::MAX_TEST_VIDEOS;
use contract::{ErrorCode, MediaFile, TestOutcome};
use serde_json::{Map, Value, json};

/// The `Retry-After` for a channel with too many test videos.
const RETRY_SECONDS: u64 = 3_600;
/// The picture size that the owner sees if the file does not tell its own.
const SIZE: (u32, u32) = (640, 360);
/// The heights of the renditions that the owner sees.
const RENDITIONS: [u32; 1] = [360];
/// A `ThumbHash` of grey.
const THUMBHASH: &str = "1QcSHQRnh493V4dIh4eXh1h4kJUI";

/// Adds the statements that mark the upload as a test and give its slot back, unless its channel has as many test
/// videos as it may.
pub(super) fn give_slot_back(batch: &mut Batch, upload_uuid: &UploadUuid) {
    let is_unmarked = "uuid = ?1 AND state = 'reserved' AND is_test = 0
             AND (SELECT count(*) FROM test_videos WHERE channel_id = uploads.channel_id) < ?2";
    let give_back = format!(
        "UPDATE daily_usage SET used = used - 1
         WHERE (channel_id, day) IN (SELECT channel_id, day FROM uploads WHERE {is_unmarked})"
    );
    let mark = format!("UPDATE uploads SET is_test = 1 WHERE {is_unmarked}");
    // The mark comes last, so that a repetition gives nothing back.
    for sql in [give_back, mark] {
        batch.execute(Statement::new(sql).bind(upload_uuid).bind(MAX_TEST_VIDEOS));
    }
}

/// Adds the statements that create the test video and record the objects as garbage. They do nothing unless the slot
/// was spent.
pub(super) fn add(
    batch: &mut Batch,
    upload: &NewContent<'_>,
    mut columns: Map<String, Value>,
    outcome: TestOutcome,
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    let languages: Vec<_> = upload.captions.iter().map(|captions| captions.language.as_str()).collect();
    columns.insert("captions".to_owned(), json!((!languages.is_empty()).then(|| languages.join(","))));
    let media = serde_json::to_value(media(upload)).map_err(|error| DatabaseError::Shape(error.to_string()))?;
    columns.insert("media".to_owned(), media);
    let insert = Statement::new(
        "INSERT INTO test_videos (id, uuid, channel_id, outcome, content, created_at_unix, due_at_unix)
         SELECT id, ?2, channel_id, ?3, ?4, ?5, ?5 + ?6 FROM uploads
         WHERE uuid = ?1 AND state = 'committed' AND is_test = 1 ON CONFLICT (id) DO NOTHING",
    );
    let insert = insert.bind(&upload.names.upload_uuid).bind(&upload.names.content_uuid).bind(outcome.as_str());
    let first_step = first_step_seconds(outcome, upload.fields.scheduled_publish_at_unix.is_some());
    batch.execute(insert.bind(Value::Object(columns).to_string()).bind(now).bind(first_step));
    let discard = Statement::new(
        "INSERT INTO garbage (upload_uuid, multipart_id, lease_ends_at_unix)
         SELECT uuid, multipart_id, lease_ends_at_unix FROM uploads
         WHERE uuid = ?1 AND state = 'committed' AND is_test = 1 ON CONFLICT (upload_uuid) DO NOTHING",
    );
    batch.execute(discard.bind(&upload.names.upload_uuid));
    Ok(())
}

/// Returns media as a job might have stored them.
fn media(upload: &NewContent<'_>) -> StoredMedia {
    let media = &upload.file.media;
    let track = media.video();
    let size = track.and_then(|track| track.width.zip(track.height));
    let (width, height) = size.unwrap_or(SIZE);
    let files = MediaFile::all(RENDITIONS, 0).into_iter();
    StoredMedia {
        duration_ms: media.duration_ms,
        width,
        height,
        has_audio: true,
        thumbhash: THUMBHASH.to_owned(),
        quality: Quality::Full,
        files: files.map(|file| StoredFile { name: file.to_string(), size_bytes: 0 }).collect(),
        subtitles: Vec::new(),
        dropped_subtitles: Vec::new(),
    }
}

/// Deletes the objects of a committed test. If this fails, the sweep does it.
pub(super) async fn discard<P: Platform>(platform: &P, upload_uuid: &UploadUuid, leftovers: &StoredLeftovers) {
    let removed = async {
        remove_objects(platform, upload_uuid, leftovers.unfinished.as_deref(), &[]).await?;
        Ok::<_, Refusal>(forget_garbage(platform.database(), upload_uuid).await?)
    };
    if let Err(error) = removed.await {
        tracing::warn!(upload = %upload_uuid, cause = error.cause, "the sweep will delete the file of a test");
    }
}

/// Returns the refusal of a test whose channel has too many test videos, or `None` if it does not.
pub(super) async fn why_too_many(
    database: &impl Database,
    upload_uuid: &UploadUuid,
) -> Result<Option<Refusal>, DatabaseError> {
    let select = Statement::new(
        "SELECT 1 FROM uploads WHERE uuid = ?1 AND is_test = 0
             AND (SELECT count(*) FROM test_videos WHERE channel_id = uploads.channel_id) >= ?2",
    );
    let has_too_many = database.returns_rows(select.bind(upload_uuid).bind(MAX_TEST_VIDEOS)).await?;
    Ok(has_too_many.then(too_many))
}

fn too_many() -> Refusal {
    let detail = format!("The channel has {MAX_TEST_VIDEOS} test videos. Each is deleted 24 hours after its upload.");
    Refusal::new(ErrorCode::TooManyUploads).with_retry_after(RETRY_SECONDS).with_detail(detail)
}
