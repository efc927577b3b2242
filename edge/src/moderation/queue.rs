//! The moderation queue: the contents that wait for a decision or a check, the longest-waiting first, with their
//! findings.

use super::review_address::ReviewAddresses;
use super::review_claims::{CLAIM_COLUMN, read_claim};
use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::content_urls::ContentUrls;
use crate::contents::life::packed_media::read_media;
use crate::contents::status::readable;
use crate::platform::database::{Database, DatabaseError, Statement, read_column};
use contract::MediaFile;
use contract::api::{QueuedContent, WaitsFor};
use contract::limits::MAX_SAFE_INTEGER;
use contract::moderation::Finding;
use serde::Deserialize;

/// A position in the queue. The next page begins after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueuePosition {
    waits_since: UnixSeconds,
    content_id: u64,
}

/// The parts of an entry's addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueAddresses<'a> {
    pub site: &'a str,
    pub review: ReviewAddresses<'a>,
}

#[derive(Deserialize)]
struct WaitingRow {
    id: u64,
    uuid: ContentUuid,
    channel_id: ChannelId,
    waits_for: WaitsFor,
    waits_since_unix: UnixSeconds,
    caption: Option<String>,
    summary: Option<String>,
    created_at_unix: UnixSeconds,
    scheduled_publish_at_unix: Option<UnixSeconds>,
    duration_ms: u64,
    media_name: String,
    slug_url: String,
    media: Option<String>,
    findings: String,
    claim: Option<String>,
}

/// Selects the contents after a position that wait for something.
fn select_waiting(waits_for: &str) -> String {
    format!(
        "SELECT id, uuid, channel_id, waits_for, waits_since_unix, caption,
                 ai_summary_of_content AS summary, created_at_unix, scheduled_publish_at_unix,
                 duration_ms, media_name, slug_url, media,
                 (SELECT json_group_array(json_object('check', check_name, 'recommendation', recommendation,
                     'from_ms', from_ms, 'until_ms', until_ms, 'score', score, 'note', note) ORDER BY number)
                  FROM findings WHERE content_id = contents.id AND findings.generation = contents.generation) AS findings,
                 {CLAIM_COLUMN}
             FROM contents INDEXED BY contents_by_waiting
             WHERE state = 'processing' AND waits_for = {waits_for} AND waits_for IS NOT NULL
                 AND (waits_since_unix, id) > (?2, ?3)"
    )
}

/// Returns the contents after a position. If `waits_for` is given, returns only contents that wait for it.
pub(crate) async fn list(
    database: &impl Database,
    waits_for: Option<WaitsFor>,
    after: QueuePosition,
    at_most: u32,
    addresses: QueueAddresses<'_>,
    now: UnixSeconds,
) -> Result<Vec<QueuedContent>, DatabaseError> {
    let select = match waits_for {
        Some(_) => select_waiting("?1"),
        // Each part is read in the order of its index.
        None => format!("{} UNION ALL {}", select_waiting("'check'"), select_waiting("'person'")),
    };
    let select = Statement::new(select + " ORDER BY waits_since_unix, id LIMIT ?4");
    let select = select.bind(waits_for).bind(after.waits_since).bind(after.content_id).bind(at_most);
    let rows: Vec<WaitingRow> = database.all(select).await?;
    rows.into_iter().map(|row| row.into_queued_content(addresses, now)).collect()
}

/// The numbers of contents that wait. Each is at most 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Waiting {
    pub person: u64,
    pub check: u64,
    pub flagged: u64,
    pub appealed: u64,
}

/// Counts what waits, without reading more rows than are shown as a number.
pub(crate) async fn count_waiting(database: &impl Database) -> Result<Waiting, DatabaseError> {
    let waiting = |waits_for| {
        format!(
            "(SELECT count(*) FROM (SELECT 1 FROM contents INDEXED BY contents_by_waiting
                 WHERE waits_for = '{waits_for}' AND waits_for IS NOT NULL LIMIT 100))"
        )
    };
    let select = format!(
        "SELECT {} AS person, {} AS \"check\", (SELECT count(*) FROM (SELECT 1 FROM flags WHERE state IN ('published', 'scheduled', 'deleted') LIMIT 100)) AS flagged,
             (SELECT count(*) FROM (SELECT 1 FROM appeals WHERE state = 'pending' LIMIT 100)) AS appealed",
        waiting("person"),
        waiting("check")
    );
    let row: Option<Waiting> = database.first(Statement::new(select)).await?;
    row.ok_or_else(|| DatabaseError::Shape("the statement did not return the numbers".to_owned()))
}

impl WaitingRow {
    fn into_queued_content(
        self,
        addresses: QueueAddresses<'_>,
        now: UnixSeconds,
    ) -> Result<QueuedContent, DatabaseError> {
        let findings: Vec<Finding> = readable(&self.uuid, "findings", read_column(&self.findings)).unwrap_or_default();
        let media = self.media.as_deref().and_then(|media| readable(&self.uuid, "media", read_media(media)));
        let urls = ContentUrls { site: addresses.site, media_name: &self.media_name, slug_url: &self.slug_url };
        let file = |file| addresses.review.stored_file_of(&self.uuid, media.as_ref(), file);
        Ok(QueuedContent {
            poster_url: file(MediaFile::Poster),
            storyboard_url: file(MediaFile::Storyboard),
            video_url: file(MediaFile::Video),
            thumbnails: media.as_ref().map_or_else(Vec::new, |media| urls.thumbnails(media)),
            claim: read_claim(self.claim.as_deref(), now)?,
            content_id: self.id,
            content_uuid: self.uuid.into_string(),
            channel_id: self.channel_id.0,
            waits_for: self.waits_for,
            waits_since_unix: self.waits_since_unix.0,
            caption: self.caption,
            summary: self.summary,
            created_at_unix: self.created_at_unix.0,
            scheduled_publish_at_unix: self.scheduled_publish_at_unix.map(|time| time.0),
            duration_ms: self.duration_ms,
            findings,
        })
    }
}

impl QueuePosition {
    pub(crate) const fn of(content: &QueuedContent) -> Self {
        Self { waits_since: UnixSeconds(content.waits_since_unix), content_id: content.content_id }
    }

    /// Returns the position as an opaque string.
    pub(crate) fn cursor(self) -> String {
        format!("q1{:x}-{:x}", self.waits_since.0, self.content_id)
    }

    /// Returns `None` if the text is not a cursor.
    pub(crate) fn parse(cursor: &str) -> Option<Self> {
        let (since, id) = cursor.strip_prefix("q1")?.split_once('-')?;
        let waits_since = UnixSeconds(u64::from_str_radix(since, 16).ok()?);
        let position = Self { waits_since, content_id: u64::from_str_radix(id, 16).ok()? };
        let is_safe = position.waits_since.0.max(position.content_id) <= MAX_SAFE_INTEGER;
        (is_safe && position.cursor() == cursor).then_some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn position(waits_since: u64, content_id: u64) -> QueuePosition {
        QueuePosition { waits_since: UnixSeconds(waits_since), content_id }
    }

    #[test]
    fn a_cursor_beyond_the_largest_safe_integer_is_refused() {
        for (cursor, is_cursor) in [
            (position(MAX_SAFE_INTEGER, MAX_SAFE_INTEGER).cursor(), true),
            (position(MAX_SAFE_INTEGER + 1, 1).cursor(), false),
            (position(1, MAX_SAFE_INTEGER + 1).cursor(), false),
        ] {
            assert_eq!(QueuePosition::parse(&cursor).is_some(), is_cursor, "{cursor}");
        }
    }

    proptest! {
        #[test]
        fn a_cursor_parses_to_its_position(
            waits_since in 0..=MAX_SAFE_INTEGER, content_id in 0..=MAX_SAFE_INTEGER,
        ) {
            let position = position(waits_since, content_id);
            prop_assert_eq!(QueuePosition::parse(&position.cursor()), Some(position));
        }

        #[test]
        fn each_position_has_one_cursor(text in "q?1?[0-9a-fA-F+-]{0,20}") {
            if let Some(position) = QueuePosition::parse(&text) {
                prop_assert_eq!(position.cursor(), text);
            }
        }
    }
}
