//! Turns an upload into a content: one transaction that creates the content, spends the slot, binds the token and
//! writes the job to the outbox or holds it, or does nothing.

use super::file::ReceivedFile;
use super::form::fields::Fields;
use super::names::UploadNames;
use crate::auth::hash::KeyedHash;
use crate::contents::field_rules::metadata_json;
use crate::contents::first_captions::{self, FirstCaptions};
use crate::ids::{ContentUuid, UploadUuid};
use crate::keys::daily_limit::{Usage, day_of};
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::refusal::Refusal;
use crate::slug::{Slug, slug_column};
use crate::unix_seconds::UnixSeconds;
use contract::api::{UPLOAD_SUCCESS, UploadResult};
use contract::{ContentState, ErrorCode, JOB_VERSION, JobMessage, TraceContext};
use serde::Deserialize;

/// The data that the transaction writes.
pub(crate) struct NewContent<'a> {
    pub names: &'a UploadNames,
    pub fields: &'a Fields,
    /// The SHA-256 of the thumbnail picture, if one was sent.
    pub picture_sha256: Option<&'a str>,
    pub captions: &'a [FirstCaptions],
    pub file: &'a ReceivedFile,
    pub fingerprint: &'a str,
    pub trace: TraceContext,
}

/// A committed upload, as read from the database.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FinishedUpload {
    id: u64,
    content_id: u64,
    content_uuid: ContentUuid,
    media_name: String,
    scheduled_publish_at_unix: Option<u64>,
    slug_url: Slug,
    state: ContentState,
    generation: u64,
    limit_day: u64,
    limit_amount: u32,
    limit_used: u32,
    is_held: u8,
    traceparent: Option<String>,
}

impl FinishedUpload {
    /// Returns the channel's usage at the time of the upload.
    pub(crate) fn usage(&self) -> Usage {
        Usage { day: self.limit_day, amount: self.limit_amount, used: self.limit_used }
    }

    pub(crate) fn result(&self) -> UploadResult {
        UploadResult {
            success: true,
            id: self.id,
            content_id: self.content_id,
            content_uuid: self.content_uuid.to_string(),
            media_name: self.media_name.clone(),
            message_code: UPLOAD_SUCCESS.to_owned(),
            scheduled_publish_at_unix: self.scheduled_publish_at_unix,
            limit: self.usage().state(),
            slug_url: self.slug_url.as_str().to_owned(),
            content_state: None,
        }
    }

    /// Returns the answer to a repetition, with the limit of today. Refuses one whose video was deleted or failed,
    /// because only a new upload can help then.
    pub(crate) fn repeated_result(&self, usage: Usage) -> Result<UploadResult, Refusal> {
        if matches!(self.state, ContentState::Deleted | ContentState::Failed) {
            let (uuid, state) = (&self.content_uuid, self.state.as_str());
            let detail = format!(
                "The upload with this `upload_token` became the video {uuid}, which is {state}. Use a new token to upload it again."
            );
            return Err(Refusal::new(ErrorCode::UploadTokenSpent).with_field("upload_token").with_detail(detail));
        }
        Ok(UploadResult { limit: usage.state(), content_state: Some(self.state), ..self.result() })
    }

    /// Returns the job to send now, or `None` if it is held.
    pub(crate) fn job(&self) -> Option<JobMessage> {
        let job = || JobMessage {
            version: JOB_VERSION,
            content_id: self.content_id,
            content_uuid: self.content_uuid.to_string(),
            generation: self.generation,
            traceparent: self.traceparent.clone(),
        };
        (self.is_held == 0).then(job)
    }
}

/// The query for a committed upload.
macro_rules! select_finished {
    () => {
        concat!(
            "SELECT uploads.id, contents.id AS content_id, contents.uuid AS content_uuid, media_name,
             uploads.scheduled_publish_at_unix, contents.state, generation, limit_day, limit_amount, limit_used, traceparent, ",
            slug_column!(),
            ", EXISTS (SELECT 1 FROM held_jobs
                 WHERE held_jobs.channel_id = contents.channel_id AND held_jobs.content_id = contents.id) AS is_held
         FROM uploads JOIN contents ON contents.upload_id = uploads.id
         WHERE uploads.uuid = ?1"
        )
    };
}

/// Commits the upload. Returns `None` if its file is blocked, if its slot is lost because its lease expired or its key
/// became invalid, or if the sweep may have deleted its captions. Idempotent: a second call returns the same content.
pub(crate) async fn commit(
    database: &impl Database,
    content: &NewContent<'_>,
    now: UnixSeconds,
) -> Result<Option<FinishedUpload>, DatabaseError> {
    let mut batch = Batch::default();
    batch.execute(spend_slot(content, now)?);
    batch.execute(insert_content(content, now));
    if !content.captions.is_empty() {
        batch.execute(first_captions::insert(&content.names.content_uuid, content.captions, now)?);
    }
    batch.execute(insert_job(&content.names.content_uuid, now));
    let finished = batch.query(Statement::new(select_finished!()).bind(&content.names.upload_uuid));
    database.run(batch).await?.first(finished)
}

/// Returns the committed upload with this UUID, for the holder of its channel's key. Returns `None` if the key is no
/// longer valid.
pub(crate) async fn find_finished(
    database: &impl Database,
    key: &KeyedHash,
    upload_uuid: &UploadUuid,
) -> Result<Option<FinishedUpload>, DatabaseError> {
    let select = Statement::new(concat!(
        select_finished!(),
        " AND EXISTS (SELECT 1 FROM api_keys WHERE channel_id = uploads.channel_id AND key_hash IN (?2, ?3))"
    ));
    database.first(select.bind(upload_uuid).bind(key.as_str()).bind(key.second_or_same())).await
}

/// The statement that spends a slot.
macro_rules! spend_slot {
    () => {
        "UPDATE uploads SET state = 'committed', fingerprint = ?2, scheduled_publish_at_unix = ?4, limit_day = ?3,
             limit_amount = (SELECT daily_upload_limit FROM channels WHERE id = uploads.channel_id),
             limit_used = coalesce(
                 (SELECT used FROM daily_usage WHERE channel_id = uploads.channel_id AND day = ?3), 0)
         WHERE uuid = ?1 AND state = 'reserved' AND NOT EXISTS (SELECT 1 FROM blocked_files WHERE sha256 = ?5)"
    };
}

/// The same, unless one of the files `?6` is no longer stored: the sweep may have deleted it, because it came too late.
const SPEND_WITH_CAPTIONS: &str = concat!(
    spend_slot!(),
    " AND NOT EXISTS (SELECT 1 FROM json_each(?6) WHERE NOT EXISTS
             (SELECT 1 FROM garbage WHERE upload_uuid = value AND lease_ends_at_unix > ?7))"
);

/// Marks the slot as spent and stores the answer, so that a replay names the same schedule even if the content has
/// changed since.
fn spend_slot(content: &NewContent<'_>, now: UnixSeconds) -> Result<Statement, DatabaseError> {
    let has_captions = !content.captions.is_empty();
    let spend = Statement::new(if has_captions { SPEND_WITH_CAPTIONS } else { spend_slot!() })
        .bind(&content.names.upload_uuid)
        .bind(content.fingerprint)
        .bind(day_of(now))
        .bind(content.fields.scheduled_publish_at_unix)
        .bind(content.file.sha256.as_str());
    Ok(if has_captions { spend.bind(first_captions::names_json(content.captions)?).bind(now) } else { spend })
}

fn insert_content(content: &NewContent<'_>, now: UnixSeconds) -> Statement {
    let NewContent { names, fields, file, .. } = content;
    let video = file.media.video();
    let metadata = fields.metadata.as_ref().filter(|metadata| !metadata.is_empty());
    Statement::new(
        "INSERT INTO contents (
             uuid, upload_id, channel_id, state, slug_url, media_name, caption, super_category_id,
             ai_summary_of_content, thumbnail_time_seconds, has_thumbnail_file, scheduled_publish_at_unix,
             container, duration_ms, width, height, size_bytes, file_sha256, created_at_unix, enqueued_at_unix,
             external_id, metadata, picture_sha256, traceparent, captions_change)
         SELECT ?2, id, channel_id, 'processing', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?17,
             ?18, ?19, ?20, ?21, ?22
         FROM uploads WHERE uuid = ?1 AND state = 'committed'
         ON CONFLICT (upload_id) DO NOTHING",
    )
    .bind(&names.upload_uuid)
    .bind(&names.content_uuid)
    .bind(names.slug(fields.caption.as_deref()))
    .bind(names.media_name.as_str())
    .bind(fields.caption.clone())
    .bind(fields.super_category_id)
    .bind(fields.ai_summary_of_content.clone())
    .bind(fields.thumbnail_time_seconds)
    .bind(u32::from(content.picture_sha256.is_some()))
    .bind(fields.scheduled_publish_at_unix)
    .bind(file.media.container.name())
    .bind(file.media.duration_ms)
    .bind(video.and_then(|track| track.width))
    .bind(video.and_then(|track| track.height))
    .bind(file.size_bytes)
    .bind(file.sha256.as_str())
    .bind(now)
    .bind(fields.external_id.clone())
    .bind(metadata.and_then(metadata_json))
    .bind(content.picture_sha256)
    .bind(content.trace.to_string())
    .bind((!content.captions.is_empty()).then_some("pending"))
}

/// Writes the job to the outbox, unless the trigger of the content's row holds it.
fn insert_job(content_uuid: &ContentUuid, now: UnixSeconds) -> Statement {
    Statement::new(
        "INSERT INTO outbox (content_id, generation, written_at_unix)
         SELECT id, generation, ?2 FROM contents
         WHERE uuid = ?1 AND NOT EXISTS (SELECT 1 FROM held_jobs
             WHERE held_jobs.channel_id = contents.channel_id AND held_jobs.content_id = contents.id)
         ON CONFLICT (content_id) DO NOTHING",
    )
    .bind(content_uuid)
    .bind(now)
}
