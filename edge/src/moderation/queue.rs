//! Who waits for somebody to look, the longest waiting first, with the evidence.

use crate::contents::addresses::Addresses;
use crate::database::{Database, DatabaseError, Statement, all_rows, read_column};
use contract::MediaFile;
use contract::api::{QueuedContent, WaitsFor};
use contract::job::StoredMedia;
use contract::limits::MAX_SAFE_INTEGER;
use contract::moderation::Finding;
use serde::Deserialize;

/// A place in the queue: the next page begins behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    waits_since_unix: u64,
    content_id: u64,
}

#[derive(Deserialize)]
struct Row {
    id: u64,
    uuid: String,
    channel_id: u64,
    waits_for: WaitsFor,
    waits_since_unix: u64,
    caption: Option<String>,
    created_at_unix: u64,
    scheduled_publish_at_unix: Option<u64>,
    duration_ms: u64,
    media_name: String,
    slug_url: String,
    media: Option<String>,
    findings: String,
}

/// Those that wait behind that place; only for that, where it is named.
pub async fn list(
    database: &impl Database,
    waits_for: Option<WaitsFor>,
    behind: Place,
    at_most: u32,
    site: &str,
) -> Result<Vec<QueuedContent>, DatabaseError> {
    let select = Statement::new(
        "SELECT id, uuid, channel_id, waits_for, waits_since_unix, caption, created_at_unix, scheduled_publish_at_unix,
             duration_ms, media_name, slug_url, media,
             (SELECT json_group_array(json_object('check', check_name, 'verdict', verdict, 'from_ms', from_ms,
                 'until_ms', until_ms, 'score', score, 'note', note) ORDER BY number)
              FROM findings WHERE content_id = contents.id AND findings.generation = contents.generation) AS findings
         FROM contents
         WHERE state = 'processing' AND waits_for IS NOT NULL AND (?1 IS NULL OR waits_for = ?1)
             AND (waits_since_unix > ?2 OR (waits_since_unix = ?2 AND id > ?3))
         ORDER BY waits_since_unix, id LIMIT ?4",
    );
    let name = waits_for.map(|one| match one {
        WaitsFor::Check => "check",
        WaitsFor::Person => "person",
    });
    let select = select.bind(name).bind(behind.waits_since_unix);
    let select = select.bind(behind.content_id).bind(at_most);
    let answers = database.batch(vec![select]).await?;
    let rows: Vec<Row> = all_rows(answers.first())?;
    rows.into_iter().map(|row| entry(row, site)).collect()
}

fn entry(row: Row, site: &str) -> Result<QueuedContent, DatabaseError> {
    let findings: Vec<Finding> = read_column(&row.findings)?;
    let media: Option<StoredMedia> = row.media.as_deref().map(read_column).transpose()?;
    let addresses = Addresses {
        site,
        media_name: &row.media_name,
        slug_url: &row.slug_url,
    };
    let storyboard = MediaFile::Storyboard.to_string();
    let has_storyboard = media
        .as_ref()
        .is_some_and(|media| media.files.iter().any(|file| file.name == storyboard));
    Ok(QueuedContent {
        thumbnails: media.map_or_else(Vec::new, |media| addresses.thumbnails(&media)),
        storyboard_url: has_storyboard.then(|| addresses.file(MediaFile::Storyboard)),
        content_id: row.id,
        content_uuid: row.uuid,
        channel_id: row.channel_id,
        waits_for: row.waits_for,
        waits_since_unix: row.waits_since_unix,
        caption: row.caption,
        created_at_unix: row.created_at_unix,
        scheduled_publish_at_unix: row.scheduled_publish_at_unix,
        duration_ms: row.duration_ms,
        findings,
    })
}

impl Place {
    pub const fn of(content: &QueuedContent) -> Self {
        Self {
            waits_since_unix: content.waits_since_unix,
            content_id: content.content_id,
        }
    }

    /// As a text that means nothing to others.
    pub fn cursor(self) -> String {
        format!("q1{:x}-{:x}", self.waits_since_unix, self.content_id)
    }

    /// `None` for a text that is no cursor.
    pub fn parse(cursor: &str) -> Option<Self> {
        let (since, id) = cursor.strip_prefix("q1")?.split_once('-')?;
        let place = Self {
            waits_since_unix: u64::from_str_radix(since, 16).ok()?,
            content_id: u64::from_str_radix(id, 16).ok()?,
        };
        let is_safe = place.waits_since_unix.max(place.content_id) <= MAX_SAFE_INTEGER;
        (is_safe && place.cursor() == cursor).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cursor_leads_back(waits_since_unix in 0..=MAX_SAFE_INTEGER, content_id in 0..=MAX_SAFE_INTEGER) {
            let place = Place { waits_since_unix, content_id };
            prop_assert_eq!(Place::parse(&place.cursor()), Some(place));
        }

        #[test]
        fn no_other_text_is_one(text in "q?1?[0-9a-fA-F+-]{0,20}") {
            if let Some(place) = Place::parse(&text) {
                prop_assert_eq!(place.cursor(), text);
            }
        }
    }
}
