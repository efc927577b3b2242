//! Turns an upload into a content: one transaction that creates the content with its job, spends the slot and binds the
//! token, or does nothing.

use super::direct::use_up;
use super::new_content::NewContent;
use super::test_upload;
use crate::base::daily_limit::{Usage, day_of};
use crate::base::ids::{ContentUuid, UploadUuid};
use crate::base::refusal::Refusal;
use crate::base::slug::{SLUG_COLUMN, Slug};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::first_captions;
use crate::contents::life::begin;
use crate::contents::life::claim::ReleasedJob;
use crate::journal;
use crate::people::auth::hash::KeyedHash;
use crate::people::keys::valid_keys::has_key;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use contract::api::{UPLOAD_SUCCESS, UploadResult};
use contract::{ContentState, ErrorCode, JobMessage};
use serde::Deserialize;

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
    is_test: u8,
    limit_day: u64,
    limit_amount: u32,
    limit_used: u32,
    /// The job to send now, unless it is held.
    #[serde(skip)]
    pub(crate) job: Option<JobMessage>,
}

impl FinishedUpload {
    /// Returns the channel's usage at the time of the commit.
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
            is_test: self.is_test != 0,
        }
    }

    /// Returns the response to a replay, with today's limit. Refuses it if the video was deleted or failed, because
    /// then only a new upload can help.
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
}

/// The query for a committed upload.
const SELECT_FINISHED: &str = constcat::concat!(
    "SELECT uploads.id, contents.id AS content_id, contents.uuid AS content_uuid, media_name,
             uploads.scheduled_publish_at_unix, contents.state, is_test, limit_day, limit_amount, limit_used,
             uploads.channel_id, ",
    SLUG_COLUMN,
    " FROM uploads JOIN contents ON contents.id = uploads.id WHERE uploads.uuid = ?1
     UNION ALL
     SELECT uploads.id, test_videos.id, test_videos.uuid, content ->> '$.media_name',
             uploads.scheduled_publish_at_unix, test_videos.state, is_test, limit_day, limit_amount, limit_used,
             uploads.channel_id, content ->> '$.slug_url'
     FROM uploads JOIN test_videos ON test_videos.id = uploads.id WHERE uploads.uuid = ?1"
);

/// Commits the upload. Returns `None` if its file is blocked, if its slot is lost because its lease expired or its key
/// became invalid, or if the sweep may have deleted its captions. Idempotent: a second call returns the same content.
pub(crate) async fn commit(
    database: &impl Database,
    content: &NewContent<'_>,
    now: UnixSeconds,
) -> Result<Option<FinishedUpload>, DatabaseError> {
    let mut batch = Batch::default();
    if let Some(outcome) = content.fields.test {
        test_upload::give_slot_back(&mut batch, &content.names.upload_uuid);
        batch.execute(spend_slot(content, now)?);
        test_upload::add(&mut batch, content, content.columns()?, outcome, now)?;
        let finished = batch.query::<FinishedUpload>(Statement::new(SELECT_FINISHED).bind(&content.names.upload_uuid));
        return database.run(batch).await?.first(finished);
    }
    batch.execute(spend_slot(content, now)?);
    let new = begin::NewContent {
        upload_uuid: &content.names.upload_uuid,
        uuid: &content.names.content_uuid,
        columns: content.columns()?,
        trace: content.trace,
        has_captions: !content.captions.is_empty(),
    };
    begin::add(&mut batch, &new, now);
    if !content.captions.is_empty() {
        first_captions::add(&mut batch, &content.names.content_uuid, content.captions, now)?;
    }
    note_reached_limit(&mut batch, &content.names.upload_uuid);
    if content.direct.is_some() {
        use_up(&mut batch, &content.names.upload_uuid, now);
    }
    let finished = batch.query::<FinishedUpload>(Statement::new(SELECT_FINISHED).bind(&content.names.upload_uuid));
    let job = batch.query::<ReleasedJob>(begin::select_unclaimed(&content.names.content_uuid));
    let answers = database.run(batch).await?;
    let job = answers.first(job)?.map(ReleasedJob::into_message);
    Ok(answers.first(finished)?.map(|finished| FinishedUpload { job, ..finished }))
}

/// Returns the committed upload with this UUID, for whoever knows its location.
pub(crate) async fn find_committed(
    database: &impl Database,
    upload_uuid: &UploadUuid,
) -> Result<Option<FinishedUpload>, DatabaseError> {
    database.first(Statement::new(SELECT_FINISHED).bind(upload_uuid)).await
}

/// Returns the committed upload with this UUID, for the holder of its channel's key. Returns `None` if the key is no
/// longer valid.
pub(crate) async fn find_finished(
    database: &impl Database,
    key: &KeyedHash,
    upload_uuid: &UploadUuid,
) -> Result<Option<FinishedUpload>, DatabaseError> {
    let select = Statement::new(constcat::concat!(
        "SELECT * FROM (",
        SELECT_FINISHED,
        ") AS finished WHERE EXISTS (SELECT 1 FROM api_keys WHERE channel_id = finished.channel_id AND ",
        has_key!("IN (?2, ?3)"),
        ")"
    ));
    database.first(select.bind(upload_uuid).bind(key.as_str()).bind(key.second_or_same())).await
}

/// The statement that spends a slot.
const SPEND_SLOT: &str =
    "UPDATE uploads SET state = 'committed', fingerprint = ?2, scheduled_publish_at_unix = ?4, limit_day = ?3,
             limit_amount = (SELECT daily_upload_limit FROM channels WHERE id = uploads.channel_id),
             limit_used = coalesce(
                 (SELECT used FROM daily_usage WHERE channel_id = uploads.channel_id AND day = ?3), 0)
         WHERE uuid = ?1 AND state = 'reserved' AND is_test = ?6
             AND NOT EXISTS (SELECT 1 FROM blocked_files WHERE sha256 = ?5)";

/// The same, unless the garbage record of a file in `?7` has expired: the sweep may have deleted the file.
const SPEND_WITH_CAPTIONS: &str = constcat::concat!(
    SPEND_SLOT,
    " AND NOT EXISTS (SELECT 1 FROM json_each(?7) WHERE NOT EXISTS
             (SELECT 1 FROM garbage WHERE upload_uuid = value AND lease_ends_at_unix > ?8))"
);

/// Marks the slot as spent and stores parts of the response, so that a replay returns the same schedule even if the
/// content has changed since.
fn spend_slot(content: &NewContent<'_>, now: UnixSeconds) -> Result<Statement, DatabaseError> {
    let is_test = content.fields.test.is_some();
    // The captions of a test are not stored.
    let has_captions = !content.captions.is_empty() && !is_test;
    let spend = Statement::new(if has_captions { SPEND_WITH_CAPTIONS } else { SPEND_SLOT })
        .bind(&content.names.upload_uuid)
        .bind(content.fingerprint)
        .bind(day_of(now))
        .bind(content.fields.scheduled_publish_at_unix)
        .bind(content.file.sha256.as_str())
        .bind(u32::from(is_test));
    Ok(if has_captions { spend.bind(first_captions::names_json(content.captions)?).bind(now) } else { spend })
}

/// Adds the statements that log, once a day, that the channel's last slot is spent. The event comes first, because the
/// second statement sets the mark that prevents it.
pub(crate) fn note_reached_limit(batch: &mut Batch, upload_uuid: &UploadUuid) {
    let reached = "FROM uploads JOIN channels ON channels.id = uploads.channel_id
         JOIN daily_usage ON daily_usage.channel_id = channels.id AND daily_usage.day = uploads.day
         WHERE uploads.uuid = ?1 AND state = 'committed' AND is_limit_logged = 0 AND used >= daily_upload_limit";
    let event = format!(
        "SELECT channels.id AS channel_id, 'limit.reached' AS type, json_object('limit_amount', daily_upload_limit,
             'limit_reset_time_unix', (uploads.day + 1) * 86400) AS data {reached}"
    );
    journal::events::add_of_channel(batch, &event, &[upload_uuid.into()]);
    let note = format!(
        "UPDATE daily_usage SET is_limit_logged = 1
         WHERE (channel_id, day) IN (SELECT channels.id, uploads.day {reached})"
    );
    batch.execute(Statement::new(note).bind(upload_uuid));
}
