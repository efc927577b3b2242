//! Selects the contents that are due for compaction, with the details that move into R2.

use super::details::{FinishedDetails, store_details};
use super::{DETAILS_GENERATION, IS_COMPACTABLE, key};
use crate::base::ids::ContentUuid;
use crate::base::slug::shortened;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::packed_media::pack;
use crate::contents::life::rules::storage::CompactedRow;
use crate::platform::database::{Database, DatabaseError, Statement, read_column};
use crate::platform::error::PlatformError;
use crate::platform::object_store::ObjectStore;
use contract::{ContentState, ObjectKey};
use serde::Deserialize;

/// A content whose details were read back is left alone for this time.
const EXPANDED_REST_SECONDS: u64 = 86_400;

/// The place of a content in the order in which contents become due.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    finished_at: UnixSeconds,
    id: u64,
}

#[derive(Deserialize)]
pub(crate) struct DueContent {
    id: u64,
    uuid: ContentUuid,
    state: ContentState,
    revision: u64,
    details_generation: u64,
    finished_at_unix: UnixSeconds,
    slug_url: String,
    caption: Option<String>,
    media: Option<String>,
    /// The fingerprint of the report whose files are shown.
    fingerprint: Option<String>,
    details: String,
}

/// Returns the next contents that were finished by `until` and have no active job, clean-up or evidence.
pub(crate) async fn read_due(
    database: &impl Database,
    after: Position,
    until: UnixSeconds,
    now: UnixSeconds,
    at_most: u32,
) -> Result<Vec<DueContent>, DatabaseError> {
    let select = Statement::new(constcat::concat!(
        "SELECT contents.id, contents.uuid, contents.revision, contents.state, finished_at_unix, slug_url, caption, media, ",
        DETAILS_GENERATION,
        " AS details_generation,
             (SELECT fingerprint FROM reports WHERE content_id = contents.id AND generation = media_generation)
                 AS fingerprint,
             json_object('file_sha256', file_sha256, 'upload_uuid', uploads.uuid,
                 'reports', json((SELECT json_group_array(json_object('generation', generation, 'origin', origin,
                     'fingerprint', fingerprint, 'kind', kind, 'recommendation', recommendation,
                     'received_at_unix', received_at_unix, 'blocklist_version', blocklist_version))
                     FROM reports WHERE content_id = contents.id)),
                 'findings', json((SELECT json_group_array(json_object('generation', generation, 'number', number,
                     'check_name', check_name, 'recommendation', recommendation, 'from_ms', from_ms,
                     'until_ms', until_ms, 'score', score, 'note', note))
                     FROM findings WHERE content_id = contents.id))) AS details
         FROM contents INDEXED BY contents_to_compact JOIN uploads ON uploads.id = contents.id
         WHERE ",
        IS_COMPACTABLE,
        " AND finished_at_unix BETWEEN ?1 AND ?3 AND (finished_at_unix, contents.id) > (?1, ?2)
             AND coalesce(expanded_at_unix, 0) <= ?4
             AND NOT EXISTS (SELECT 1 FROM jobs
                 WHERE content_id = contents.id AND (jobs.state IN ('held', 'due', 'claimed')
                     OR (kind = 'completion' AND jobs.state <> 'done')))
             AND NOT EXISTS (SELECT 1 FROM cleanups WHERE content_id = contents.id)
             AND NOT EXISTS (SELECT 1 FROM evidence WHERE evidence.content_id = contents.id)
         ORDER BY finished_at_unix, contents.id LIMIT ?5"
    ));
    let rested = now.0.saturating_sub(EXPANDED_REST_SECONDS);
    let select = select.bind(after.finished_at).bind(after.id).bind(until).bind(rested).bind(at_most);
    database.all(select).await
}

impl DueContent {
    pub(crate) fn position(&self) -> Position {
        Position { finished_at: self.finished_at_unix, id: self.id }
    }

    /// Stores the details, unless the content was deleted.
    pub(crate) async fn store(&self, objects: &impl ObjectStore) -> Result<(), PlatformError> {
        if self.state == ContentState::Deleted {
            return Ok(());
        }
        let mut details = FinishedDetails::parse(&self.details)?;
        if let Some(fingerprint) = &self.fingerprint {
            let (content_uuid, generation) = (self.uuid.as_str(), self.details_generation);
            let frames = ObjectKey::FrameHashes { content_uuid, generation, fingerprint }.path();
            if let Some(frames) = objects.read_whole(&frames).await? {
                let frames = read_column(&String::from_utf8_lossy(&frames));
                details.add_frames(frames?);
            }
        }
        store_details(objects, &key(&self.uuid, self.details_generation), details).await
    }

    /// Returns the short row, to be written once the details are stored.
    pub(crate) fn short_row(self) -> CompactedRow {
        let is_deleted = self.state == ContentState::Deleted;
        let media = self.media.filter(|_| !is_deleted);
        CompactedRow {
            id: self.id,
            revision: self.revision,
            slug_url: shortened(&self.slug_url, self.caption.as_deref()).filter(|_| !is_deleted),
            media: media.map(|media| pack(&media).unwrap_or(media)),
        }
    }
}
