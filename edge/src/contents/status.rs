//! The status of contents, as their owner sees it.
//!
//! The API key is checked in the same transaction that reads the contents, so a key only sees its own channel's
//! contents.

use super::content_urls::ContentUrls;
use super::cursor;
use super::poll_advice::{PollFacts, check_after_seconds};
use crate::auth::hash::KeyedHash;
use crate::compaction::read_media;
use crate::ids::{ChannelId, ContentUuid};
use crate::keys::key_store::{self, KeyUse};
use crate::paging::cut;
use crate::ports::database::{Batch, Database, DatabaseError, Statement, read_column};
use crate::slug::{Slug, may_have_slug};
use crate::unix_seconds::UnixSeconds;
use contract::api::{CaptionsChange, ContentStatus, Metadata, ThumbnailChange, Uploads, WaitsFor};
use contract::job::StoredMedia;
use contract::{ContentState, ErrorCode, Stage};
use serde::Deserialize;

/// A content's row, with the columns that its status needs.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct StoredContent {
    id: u64,
    uuid: ContentUuid,
    state: ContentState,
    stage: Stage,
    progress_percent: u8,
    waits_for: Option<WaitsFor>,
    error_code: Option<ErrorCode>,
    error_detail: Option<String>,
    created_at_unix: UnixSeconds,
    enqueued_at_unix: UnixSeconds,
    finished_at_unix: Option<UnixSeconds>,
    scheduled_publish_at_unix: Option<UnixSeconds>,
    published_at_unix: Option<UnixSeconds>,
    duration_ms: u64,
    width: Option<u32>,
    height: Option<u32>,
    caption: Option<String>,
    super_category_id: Option<u64>,
    ai_summary_of_content: Option<String>,
    external_id: Option<String>,
    metadata: Option<String>,
    media_name: String,
    slug_url: Slug,
    media: Option<String>,
    thumbnail_change: Option<ThumbnailChange>,
    thumbnail_error_code: Option<ErrorCode>,
    /// The languages with commas between them, in the order of their index.
    captions: Option<String>,
    captions_change: Option<CaptionsChange>,
    captions_error_code: Option<ErrorCode>,
}

/// The use of a valid API key, and the requested contents of its channel.
#[derive(Clone, Debug)]
pub(crate) struct KeyContents {
    pub key_use: KeyUse,
    pub contents: Vec<StoredContent>,
}

macro_rules! select_columns {
    () => {
        concat!(
            "SELECT id, uuid, state, stage, progress_percent, waits_for, error_code, error_detail, created_at_unix,
                 enqueued_at_unix, finished_at_unix, scheduled_publish_at_unix, published_at_unix, duration_ms, width,
                 height, caption, super_category_id, ai_summary_of_content, external_id, metadata, media_name, media,
                 thumbnail_change, thumbnail_error_code, captions_change, captions_error_code,
                 (SELECT group_concat(language) FROM captions
                  WHERE content_id = contents.id AND is_wanted = 1) AS captions, ",
            crate::slug::slug_column!()
        )
    };
}
pub(super) use select_columns;

/// Returns the content with this UUID if it belongs to the key's channel. Returns `None` if the key is invalid.
pub(crate) async fn find_content(
    database: &impl Database,
    key: &KeyedHash,
    content_uuid: &ContentUuid,
    now: UnixSeconds,
) -> Result<Option<KeyContents>, DatabaseError> {
    let select = Statement::new(concat!(
        select_columns!(),
        " FROM contents WHERE channel_id = (SELECT channel_id FROM api_keys WHERE key_hash = ?1) AND uuid = ?2"
    ));
    read(database, key, select.bind(key.as_str()).bind(content_uuid), now).await
}

/// Returns the content with this slug if it belongs to the channel. The caller has identified the channel.
pub(crate) async fn find_by_slug(
    database: &impl Database,
    channel_id: ChannelId,
    slug_url: &str,
) -> Result<Option<StoredContent>, DatabaseError> {
    let select =
        Statement::new(concat!(select_columns!(), " FROM contents WHERE channel_id = ?2 AND ", may_have_slug!()));
    let found: Option<StoredContent> = database.first(select.bind(slug_url).bind(channel_id)).await?;
    Ok(found.filter(|content| content.slug_url.as_str() == slug_url))
}

/// Counts a use of the key by the minute, and reads contents in the same transaction.
pub(super) async fn read(
    database: &impl Database,
    key: &KeyedHash,
    select: Statement,
    now: UnixSeconds,
) -> Result<Option<KeyContents>, DatabaseError> {
    let mut batch = Batch::default();
    key_store::count_reading_use(&mut batch, key, now);
    let key_use = key_store::read_use(&mut batch, key, now);
    let contents = batch.query(select);
    let answers = database.run(batch).await?;
    let contents = answers.all(contents)?;
    Ok(key_use.read(&answers)?.map(|key_use| KeyContents { key_use, contents }))
}

/// Returns one page of the list. `contents` holds one content more than the page if another page follows.
pub(crate) fn uploads_page(mut contents: Vec<StoredContent>, length: u32, site: &str, now: UnixSeconds) -> Uploads {
    Uploads {
        success: true,
        next_cursor: cut(&mut contents, length, |last| cursor::after(last.id)),
        uploads: contents.into_iter().map(|content| content.status(site, now)).collect(),
    }
}

/// Returns the value of a column, or `None` if it cannot be read: one such content must not hide the others of its
/// page.
pub(crate) fn readable<T>(uuid: &ContentUuid, column: &str, value: Result<T, DatabaseError>) -> Option<T> {
    let log = |error: &DatabaseError| {
        tracing::error!(content_uuid = uuid.as_str(), column, %error, "a column of a content cannot be read");
    };
    value.inspect_err(log).ok()
}

impl StoredContent {
    pub(crate) fn status(self, site: &str, now: UnixSeconds) -> ContentStatus {
        let is_processing = self.state == ContentState::Processing;
        let media = self.stored_media();
        let urls = ContentUrls { site, media_name: &self.media_name, slug_url: self.slug_url.as_str() };
        ContentStatus {
            content_id: self.id,
            state: self.state,
            stage: is_processing.then_some(self.stage),
            progress_percent: self.machine_progress(),
            error_message_code: self.error_code,
            detail: self.detail(),
            created_at_unix: self.created_at_unix.0,
            finished_at_unix: self.finished_at_unix.map(|time| time.0),
            scheduled_publish_at_unix: self.scheduled_publish_at_unix.map(|time| time.0),
            published_at_unix: self.published_at_unix.map(|time| time.0),
            duration_ms: media.as_ref().map_or(self.duration_ms, |media| media.duration_ms),
            width: media.as_ref().map(|media| media.width).or(self.width),
            height: media.as_ref().map(|media| media.height).or(self.height),
            thumbnails: media.as_ref().map_or_else(Vec::new, |media| urls.thumbnails(media)),
            subtitles: media.as_ref().map_or_else(Vec::new, |media| urls.subtitles(media, self.state.is_public())),
            dropped_subtitles: media.as_ref().map_or_else(Vec::new, |media| media.dropped_subtitles.clone()),
            urls: media.as_ref().filter(|_| self.state.is_public()).map(|media| urls.public(media)),
            thumbnail_change: self.thumbnail_change,
            thumbnail_error_message_code: self.thumbnail_error_code,
            captions: self.captions.iter().flat_map(|tags| tags.split(',')).map(str::to_owned).collect(),
            captions_change: self.captions_change,
            captions_error_message_code: self.captions_error_code,
            check_after_seconds: check_after_seconds(self.poll_facts(), now),
            thumbhash: media.map(|media| media.thumbhash),
            metadata: self.metadata(),
            external_id: self.external_id,
            content_uuid: self.uuid.into_string(),
            caption: self.caption,
            super_category_id: self.super_category_id,
            ai_summary_of_content: self.ai_summary_of_content,
            media_name: self.media_name,
            slug_url: self.slug_url.into_string(),
        }
    }

    fn machine_progress(&self) -> u8 {
        let is_working = self.state == ContentState::Processing && self.waits_for != Some(WaitsFor::Person);
        if is_working { self.progress_percent } else { 100 }
    }

    /// Returns the media that a job produced, or `None` if the state no longer keeps its files.
    fn stored_media(&self) -> Option<StoredMedia> {
        use ContentState::{Processing, Published, Scheduled};
        let is_stored = matches!(self.state, Processing | Scheduled | Published);
        let media = self.media.as_deref().filter(|_| is_stored)?;
        readable(&self.uuid, "media", read_media(media))
    }

    fn metadata(&self) -> Metadata {
        let metadata = self.metadata.as_deref();
        metadata.and_then(|column| readable(&self.uuid, "metadata", read_column(column))).unwrap_or_default()
    }

    fn detail(&self) -> Option<String> {
        let text = match self.waits_for {
            None if self.state == ContentState::Deleted => {
                "The video was deleted by its owner. Nobody can watch it, and it cannot be restored."
            }
            Some(WaitsFor::Person) => "A moderator has to review the video before it can be published.",
            Some(WaitsFor::Check) => "A moderation check was not possible. It will be retried automatically.",
            None => return self.error_detail.clone(),
        };
        Some(text.to_owned())
    }

    fn poll_facts(&self) -> PollFacts {
        PollFacts {
            state: self.state,
            stage: self.stage,
            waits_for: self.waits_for,
            enqueued_at: self.enqueued_at_unix,
            scheduled_publish_at: self.scheduled_publish_at_unix,
            is_change_pending: self.thumbnail_change == Some(ThumbnailChange::Pending)
                || self.captions_change == Some(CaptionsChange::Pending),
        }
    }
}
