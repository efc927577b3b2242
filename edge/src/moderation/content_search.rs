//! Finds contents by an address, a slug, a media name, a channel, a UUID, the hash of the file, or a blocked hash.

use super::review_address::ReviewAddresses;
use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::slug::{SLUG_COLUMN, Slug};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::label::LabelState;
use crate::contents::media_path::MediaPath;
use crate::contents::status::{moderator_labels, visibility};
use crate::platform::database::{Database, DatabaseError, Statement, Value};
use contract::ContentState;
use contract::api::{FoundContent, WaitsFor};
use contract::limits::MAX_SAFE_INTEGER;
use contract::paths::{EMBED, PAGE};
use serde::Deserialize;

/// A moderator's search criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SoughtContent {
    Slug(String),
    MediaName(String),
    Uuid(ContentUuid),
    Channel(ChannelId),
    /// The SHA-256 of the uploaded file.
    File(String),
    /// A hash of the blocklist that caught the content.
    BlockedHash(String),
}

impl SoughtContent {
    /// Parses the address of a page, a player or a file. Returns `None` for any other address. The host is ignored,
    /// because a report may contain a former host of the site.
    pub(crate) fn at_address(address: &str) -> Option<Self> {
        let address = address.trim();
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
        let path = rest.find('/').and_then(|start| rest.get(start..))?;
        let path = path.split(['?', '#']).next()?.trim_end_matches('/');
        let slug = path.strip_prefix(PAGE).or_else(|| path.strip_prefix(EMBED));
        if let Some(slug) = slug.filter(|slug| !slug.is_empty()) {
            return Some(Self::Slug(slug.to_owned()));
        }
        Some(Self::MediaName(MediaPath::parse(path)?.media_name))
    }
}

#[derive(Deserialize)]
pub(super) struct ContentRow {
    id: u64,
    uuid: ContentUuid,
    channel_id: ChannelId,
    state: ContentState,
    waits_for: Option<WaitsFor>,
    caption: Option<String>,
    summary: Option<String>,
    has_video: u8,
    slug_url: Slug,
    media_name: String,
    is_unlisted: u8,
    is_sensitive: LabelState,
    is_ai_generated: LabelState,
    created_at_unix: UnixSeconds,
    published_at_unix: Option<UnixSeconds>,
}

/// Returns the contents that follow the content `before`, newest first. For a deleted or compacted content, only the
/// random id at the end of its slug is stored, so a search for its full slug compares that id. The index of a channel
/// has the order of the list, so a page reads only its own rows.
pub(crate) async fn find(
    database: &impl Database,
    sought: &SoughtContent,
    before: Option<u64>,
    at_most: u32,
    review: ReviewAddresses<'_>,
) -> Result<Vec<FoundContent>, DatabaseError> {
    let (matching, value): (_, Value) = match sought {
        SoughtContent::Slug(slug) => (
            "WHERE (slug_url IN (?1, '~' || substr(?1, -10)) OR (slug_url = substr(?1, -10) AND state = 'deleted'))",
            slug.as_str().into(),
        ),
        SoughtContent::Uuid(uuid) => ("WHERE uuid = ?1", uuid.into()),
        SoughtContent::MediaName(name) => ("WHERE media_name = ?1", name.as_str().into()),
        // A compacted content has no hash of its file. If it was removed, the file is blocked, and found by that.
        SoughtContent::File(sha256) => (
            "WHERE id IN (SELECT * FROM (SELECT id FROM contents WHERE file_sha256 = ?1 AND file_sha256 <> ''
                     ORDER BY id DESC LIMIT 1000)
                 UNION SELECT * FROM (SELECT content_id FROM blocked_files WHERE sha256 = ?1 LIMIT 1000))",
            sha256.as_str().into(),
        ),
        SoughtContent::BlockedHash(hash) => (
            "WHERE id IN (SELECT content_id FROM blocklist_catches WHERE hash = ?1
                 ORDER BY content_id DESC LIMIT 1000)",
            hash.as_str().into(),
        ),
        SoughtContent::Channel(channel) => ("INDEXED BY contents_by_time WHERE channel_id = ?1", channel.0.into()),
    };
    let select = Statement::new(format!(
        "SELECT id, uuid, channel_id, state, waits_for, caption, ai_summary_of_content AS summary,
             media IS NOT NULL AS has_video, media_name, is_unlisted, is_sensitive, is_ai_generated, created_at_unix,
             published_at_unix, {SLUG_COLUMN}
         FROM contents {matching} AND (created_at_unix, id) < (
             coalesce((SELECT created_at_unix FROM contents WHERE id = ?2), 9007199254740992), ?2)
         ORDER BY created_at_unix DESC, id DESC LIMIT ?3"
    ));
    let select = select.bind(value).bind(before.unwrap_or(MAX_SAFE_INTEGER)).bind(at_most);
    let rows: Vec<ContentRow> = database.all(select).await?;
    Ok(rows.into_iter().map(|row| row.into_found(review)).collect())
}

impl ContentRow {
    pub(super) fn into_found(self, review: ReviewAddresses<'_>) -> FoundContent {
        let row = self;
        FoundContent {
            video_url: (row.has_video != 0).then(|| review.video_of(&row.uuid)),
            summary: row.summary,
            content_id: row.id,
            content_uuid: row.uuid.into_string(),
            channel_id: row.channel_id.0,
            state: row.state,
            waits_for: row.waits_for,
            caption: row.caption,
            slug_url: row.slug_url.into_string(),
            media_name: row.media_name,
            visibility: visibility(row.is_unlisted),
            is_sensitive: row.is_sensitive.is_set(),
            is_ai_generated: row.is_ai_generated.is_set(),
            moderator_labels: moderator_labels(row.is_sensitive, row.is_ai_generated),
            created_at_unix: row.created_at_unix.0,
            published_at_unix: row.published_at_unix.map(|time| time.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_the_content_that_it_shows() {
        let slug = || Some(SoughtContent::Slug("a-clip-x1".to_owned()));
        let file = || Some(SoughtContent::MediaName("aB3.mp4".to_owned()));
        for (address, expected) in [
            ("https://www.example/meme/a-clip-x1", slug()),
            (" https://old.example/meme/a-clip-x1/?t=3#comments\n", slug()),
            ("www.example/embed/a-clip-x1", slug()),
            ("/meme/a-clip-x1", slug()),
            ("https://www.example/media/aB3.mp4", file()),
            ("https://www.example/media/aB3/hls/master.m3u8", file()),
            ("https://www.example/meme/", None),
            ("https://www.example/", None),
            ("a-clip-x1", None),
            ("", None),
        ] {
            assert_eq!(SoughtContent::at_address(address), expected, "{address}");
        }
    }
}
