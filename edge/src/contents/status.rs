//! How a content is doing: read with the key's check in one transaction, so that a key sees its own channel's alone.

use super::addresses::Addresses;
use super::cursor;
use super::patience::{Circumstances, check_after_seconds};
use crate::database::{Database, DatabaseError, Rows, Statement, read_column};
use crate::hash::KeyedHash;
use crate::key_store::{KeyUse, read_key_use, use_key_statements};
use crate::paging::cut;
use contract::api::{ContentStatus, Uploads};
use contract::job::StoredMedia;
use contract::{ContentState, ErrorCode, Stage};
use serde::Deserialize;

/// A content as the database has it.
#[derive(Clone, Debug, Deserialize)]
pub struct Content {
    id: u64,
    uuid: String,
    state: ContentState,
    stage: Stage,
    progress_percent: u8,
    waits_for: Option<String>,
    error_code: Option<ErrorCode>,
    error_detail: Option<String>,
    created_at_unix: u64,
    enqueued_at_unix: u64,
    finished_at_unix: Option<u64>,
    scheduled_publish_at_unix: Option<u64>,
    published_at_unix: Option<u64>,
    duration_ms: u64,
    width: Option<u32>,
    height: Option<u32>,
    caption: Option<String>,
    media_name: String,
    slug_url: String,
    media: Option<String>,
}

/// What a key finds: who asks, and what of it is theirs.
#[derive(Clone, Debug)]
pub struct Found {
    pub key_use: KeyUse,
    pub contents: Vec<Content>,
}

macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT id, uuid, state, stage, progress_percent, waits_for, error_code, error_detail, created_at_unix,
                 enqueued_at_unix, finished_at_unix, scheduled_publish_at_unix, published_at_unix, duration_ms, width,
                 height, caption, media_name, slug_url, media
             FROM contents
             WHERE channel_id = (SELECT channel_id FROM api_keys WHERE key_hash = ?1) AND ",
            $condition
        )
    };
}

/// The content of that uuid, if it is the key's channel's; `None` for a key that is not alive.
pub async fn find(
    database: &impl Database,
    key: &KeyedHash,
    content_uuid: &str,
    now_unix: u64,
) -> Result<Option<Found>, DatabaseError> {
    let select = Statement::new(select!("uuid = ?2"));
    let select = select.bind(key.as_str()).bind(content_uuid);
    read(database, key, select, now_unix).await
}

/// The key's channel's contents before that one, the newest first; `None` for a key that is not alive. What was
/// deleted is not listed.
pub async fn list(
    database: &impl Database,
    key: &KeyedHash,
    before: Option<u64>,
    at_most: u32,
    now_unix: u64,
) -> Result<Option<Found>, DatabaseError> {
    let select = Statement::new(select!(
        "state <> 'deleted' AND id < coalesce(?2, 9007199254740992) ORDER BY id DESC LIMIT ?3"
    ));
    let select = select.bind(key.as_str()).bind(before).bind(at_most);
    read(database, key, select, now_unix).await
}

async fn read(
    database: &impl Database,
    key: &KeyedHash,
    select: Statement,
    now_unix: u64,
) -> Result<Option<Found>, DatabaseError> {
    let mut statements = use_key_statements(key, now_unix);
    statements.push(select);
    let answers = database.batch(statements).await?;
    let key_use = read_key_use(&answers, now_unix)?;
    let rows = answers.into_iter().next_back().unwrap_or_default();
    let contents = contents(&rows)?;
    Ok(key_use.map(|key_use| Found { key_use, contents }))
}

fn contents(Rows(rows): &Rows) -> Result<Vec<Content>, DatabaseError> {
    let misfit = |error: serde_json::Error| DatabaseError::Shape(error.to_string());
    let read = |row| Content::deserialize(row).map_err(misfit);
    rows.iter().map(read).collect()
}

/// One page of the list.
pub fn page(
    mut contents: Vec<Content>,
    length: u32,
    site: &str,
    now_unix: u64,
) -> Result<Uploads, DatabaseError> {
    Ok(Uploads {
        success: true,
        next_cursor: cut(&mut contents, length, |last| cursor::after(last.id)),
        uploads: contents
            .into_iter()
            .map(|content| content.status(site, now_unix))
            .collect::<Result<_, _>>()?,
    })
}

impl Content {
    pub fn status(self, site: &str, now_unix: u64) -> Result<ContentStatus, DatabaseError> {
        let is_processing = self.state == ContentState::Processing;
        let media = self.stored_media()?;
        let addresses = Addresses {
            site,
            media_name: &self.media_name,
            slug_url: &self.slug_url,
        };
        Ok(ContentStatus {
            content_id: self.id,
            state: self.state,
            stage: is_processing.then_some(self.stage),
            progress_percent: if is_processing {
                self.progress_percent
            } else {
                100
            },
            error_message_code: self.error_code,
            detail: self.detail(),
            created_at_unix: self.created_at_unix,
            finished_at_unix: self.finished_at_unix,
            scheduled_publish_at_unix: self.scheduled_publish_at_unix,
            published_at_unix: self.published_at_unix,
            duration_ms: media
                .as_ref()
                .map_or(self.duration_ms, |media| media.duration_ms),
            width: media.as_ref().map(|media| media.width).or(self.width),
            height: media.as_ref().map(|media| media.height).or(self.height),
            thumbnails: media
                .as_ref()
                .map_or_else(Vec::new, |media| addresses.thumbnails(media)),
            urls: self.state.is_public().then(|| addresses.public()),
            check_after_seconds: check_after_seconds(self.circumstances(), now_unix),
            thumbhash: media.map(|media| media.thumbhash),
            content_uuid: self.uuid,
            caption: self.caption,
            media_name: self.media_name,
            slug_url: self.slug_url,
        })
    }

    /// What was made of it, as long as it is there.
    fn stored_media(&self) -> Result<Option<StoredMedia>, DatabaseError> {
        use ContentState::{Processing, Published, Scheduled};
        let is_there = matches!(self.state, Processing | Scheduled | Published);
        let media = self.media.as_deref().filter(|_| is_there);
        media.map(read_column).transpose()
    }

    fn detail(&self) -> Option<String> {
        let text = match self.waits_for.as_deref() {
            Some("person") => "A moderator has to look at the video before it can be shown.",
            Some(_) => "A check of moderation could not be made. It is made again by itself.",
            None => return self.error_detail.clone(),
        };
        Some(text.to_owned())
    }

    fn circumstances(&self) -> Circumstances<'_> {
        Circumstances {
            state: self.state,
            stage: self.stage,
            waits_for: self.waits_for.as_deref(),
            enqueued_at_unix: self.enqueued_at_unix,
            scheduled_publish_at_unix: self.scheduled_publish_at_unix,
        }
    }
}
