//! The moment an upload becomes a content: one transaction that makes content, charge, token and job, or nothing.

use super::fields::Fields;
use super::file_sink::ReceivedFile;
use super::names::Names;
use crate::daily_limit::{Usage, day_of};
use crate::database::{Database, DatabaseError, Statement, first_row};
use contract::JOB_VERSION;
use contract::JobMessage;
use contract::api::{UPLOAD_SUCCESS, UploadResult};
use serde::Deserialize;

/// Everything that the transaction writes.
pub struct NewContent<'a> {
    pub names: &'a Names,
    pub fields: &'a Fields,
    pub has_thumbnail_file: bool,
    pub file: &'a ReceivedFile,
    pub fingerprint: &'a str,
}

/// A finished upload as the database has it.
#[derive(Clone, Debug, Deserialize)]
pub struct FinishedUpload {
    id: u64,
    content_id: u64,
    content_uuid: String,
    media_name: String,
    scheduled_publish_at_unix: Option<u64>,
    slug_url: String,
    generation: u64,
    limit_day: u64,
    limit_amount: u32,
    limit_used: u32,
}

impl FinishedUpload {
    /// The limit as it was when the upload succeeded.
    pub fn usage(&self) -> Usage {
        Usage {
            day: self.limit_day,
            amount: self.limit_amount,
            used: self.limit_used,
        }
    }

    pub fn result(&self) -> UploadResult {
        UploadResult {
            success: true,
            id: self.id,
            content_id: self.content_id,
            content_uuid: self.content_uuid.clone(),
            media_name: self.media_name.clone(),
            message_code: UPLOAD_SUCCESS.to_owned(),
            scheduled_publish_at_unix: self.scheduled_publish_at_unix,
            limit: self.usage().state(),
            slug_url: self.slug_url.clone(),
        }
    }

    pub fn job(&self) -> JobMessage {
        JobMessage {
            version: JOB_VERSION,
            content_id: self.content_id,
            content_uuid: self.content_uuid.clone(),
            generation: self.generation,
        }
    }
}

/// Commits the upload; `None` when its slot is lost. Sent twice, it still commits once and says so.
pub async fn commit(
    database: &impl Database,
    content: &NewContent<'_>,
    now_unix: u64,
) -> Result<Option<FinishedUpload>, DatabaseError> {
    let uuid = content.names.upload_uuid.as_str();
    let statements = vec![
        spend_slot(content, now_unix),
        insert_content(content, now_unix),
        insert_job(&content.names.content_uuid, now_unix),
        select_finished(uuid),
    ];
    first_row(database.batch(statements).await?.get(3))
}

/// The finished upload of that name, if there is one.
pub async fn find_finished(
    database: &impl Database,
    upload_uuid: &str,
) -> Result<Option<FinishedUpload>, DatabaseError> {
    database.first(select_finished(upload_uuid)).await
}

/// Keeps what is answered: a repetition hears the same, whatever became of the content since.
fn spend_slot(content: &NewContent<'_>, now_unix: u64) -> Statement {
    Statement::new(
        "UPDATE uploads SET state = 'committed', fingerprint = ?2, scheduled_publish_at_unix = ?4, limit_day = ?3,
             limit_amount = (SELECT daily_upload_limit FROM channels WHERE id = uploads.channel_id),
             limit_used = coalesce(
                 (SELECT used FROM daily_usage WHERE channel_id = uploads.channel_id AND day = ?3), 0)
         WHERE uuid = ?1 AND state = 'reserved'",
    )
    .bind(content.names.upload_uuid.as_str())
    .bind(content.fingerprint)
    .bind(day_of(now_unix))
    .bind(content.fields.scheduled_publish_at_unix)
}

fn insert_content(content: &NewContent<'_>, now_unix: u64) -> Statement {
    let NewContent {
        names,
        fields,
        file,
        ..
    } = content;
    let video = file.media.video();
    Statement::new(
        "INSERT INTO contents (
             uuid, upload_id, channel_id, state, slug_url, media_name, caption, super_category_id,
             ai_summary_of_content, thumbnail_time_seconds, has_thumbnail_file, scheduled_publish_at_unix,
             container, duration_ms, width, height, size_bytes, file_sha256, created_at_unix, enqueued_at_unix)
         SELECT ?2, id, channel_id, 'processing', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?17
         FROM uploads WHERE uuid = ?1 AND state = 'committed'
         ON CONFLICT (upload_id) DO NOTHING",
    )
    .bind(names.upload_uuid.as_str())
    .bind(names.content_uuid.as_str())
    .bind(names.slug(fields.caption.as_deref()))
    .bind(names.media_name.as_str())
    .bind(fields.caption.clone())
    .bind(fields.super_category_id)
    .bind(fields.ai_summary_of_content.clone())
    .bind(fields.thumbnail_time_seconds)
    .bind(u32::from(content.has_thumbnail_file))
    .bind(fields.scheduled_publish_at_unix)
    .bind(file.media.container.name())
    .bind(file.media.duration_ms)
    .bind(video.and_then(|track| track.width))
    .bind(video.and_then(|track| track.height))
    .bind(file.size_bytes)
    .bind(file.sha256.as_str())
    .bind(now_unix)
}

fn insert_job(content_uuid: &str, now_unix: u64) -> Statement {
    Statement::new(
        "INSERT INTO outbox (content_id, generation, written_at_unix)
         SELECT id, generation, ?2 FROM contents WHERE uuid = ?1
         ON CONFLICT (content_id) DO NOTHING",
    )
    .bind(content_uuid)
    .bind(now_unix)
}

fn select_finished(upload_uuid: &str) -> Statement {
    Statement::new(
        "SELECT uploads.id, contents.id AS content_id, contents.uuid AS content_uuid, media_name,
             uploads.scheduled_publish_at_unix, slug_url, generation, limit_day, limit_amount, limit_used
         FROM uploads JOIN contents ON contents.upload_id = uploads.id
         WHERE uploads.uuid = ?1",
    )
    .bind(upload_uuid)
}
