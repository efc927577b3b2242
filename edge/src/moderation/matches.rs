//! Shows a moderator which frames of a video resemble blocked pictures, and finds the hash of a frame.

use super::kept_frames::read_kept_frames;
use super::review_address::ReviewAddresses;
use super::screening::{Blocklist, Comparison};
use crate::base::ids::ContentUuid;
use crate::contents::life::packed_media::read_media;
use crate::contents::status::readable;
use crate::platform::database::{Database, DatabaseError, Statement};
use crate::platform::error::PlatformError;
use crate::platform::object_store::ObjectStore;
use contract::api::{BlockedHash, BlocklistMatch, BlocklistMatches, StoredFrame};
use contract::moderation::FrameHash;
use contract::{MediaFile, PictureHash};
use serde::Deserialize;
use similar_hashes::{NearestFrame, nearest_frame};
use std::collections::BTreeMap;

/// More pictures than a moderator needs.
const AT_MOST: usize = 12;
/// The blocked pictures among which the most similar ones are looked for.
const CANDIDATES: u32 = 2_000;

/// Compares the frames of a content with the whole blocklist, and returns the most similar pictures first. Leaves out
/// what was taken from the content itself. Returns `None` if there is no such content.
pub(crate) async fn find<D: Database, O: ObjectStore>(
    blocklist: &Blocklist<'_, D, O>,
    content_uuid: &ContentUuid,
    review: ReviewAddresses<'_>,
) -> Result<Option<BlocklistMatches>, PlatformError> {
    let Some(content_id) = find_id(blocklist.database, content_uuid).await? else { return Ok(None) };
    let frames = read_kept_frames(blocklist.database, blocklist.objects, content_uuid).await?;
    let matching = Comparison::new(&frames).matching(blocklist).await?;
    let blocked = read_blocked(blocklist.database, &matching, content_id).await?;
    let mut nearest: Vec<(NearestFrame, BlockedHash)> =
        blocked.into_iter().filter_map(|blocked| Some((nearest_of(&frames, &blocked)?, blocked))).collect();
    nearest.sort_by_key(|(nearest, blocked)| (nearest.distance, blocked.added_at_unix));
    let has_more = nearest.len() > AT_MOST;
    nearest.truncate(AT_MOST);
    let storyboards = read_storyboards(blocklist.database, &nearest, review).await?;
    let matches = nearest.into_iter().map(|(nearest, blocked)| describe(nearest, blocked, &storyboards)).collect();
    Ok(Some(BlocklistMatches { success: true, matches, has_hashes: !frames.is_empty(), has_more }))
}

/// Returns the frame whose time is nearest to `at_ms`, or `None` if no hash of the content is stored. Returns an outer
/// `None` if there is no such content.
pub(crate) async fn find_frame(
    database: &impl Database,
    objects: &impl ObjectStore,
    content_uuid: &ContentUuid,
    at_ms: u64,
) -> Result<Option<Option<StoredFrame>>, PlatformError> {
    if find_id(database, content_uuid).await?.is_none() {
        return Ok(None);
    }
    let frames = read_kept_frames(database, objects, content_uuid).await?;
    let Some(frame) = frames.iter().min_by_key(|frame| frame.at_ms.abs_diff(at_ms)) else { return Ok(Some(None)) };
    let hash = frame.hash.to_string();
    let select = Statement::new("SELECT 1 FROM blocked_hashes WHERE hash = ?1 LIMIT 1");
    let is_blocked = database.returns_rows(select.bind(hash.as_str())).await?;
    Ok(Some(Some(StoredFrame { at_ms: frame.at_ms, hash, is_blocked })))
}

async fn find_id(database: &impl Database, content_uuid: &ContentUuid) -> Result<Option<u64>, DatabaseError> {
    #[derive(Deserialize)]
    struct IdRow {
        id: u64,
    }
    let select = Statement::new("SELECT id FROM contents WHERE uuid = ?1");
    let row: Option<IdRow> = database.first(select.bind(content_uuid)).await?;
    Ok(row.map(|row| row.id))
}

/// Returns the rows of the blocklist with these hashes that other contents have.
async fn read_blocked(
    database: &impl Database,
    hashes: &[String],
    own_id: u64,
) -> Result<Vec<BlockedHash>, DatabaseError> {
    if hashes.is_empty() {
        return Ok(Vec::new());
    }
    let select = Statement::new(constcat::concat!(
        "SELECT hash, reason, added_by AS \"by\", added_at_unix, nullif(content_uuid, '') AS content_uuid, at_ms, ",
        super::blocklist::CAUGHT_COLUMN,
        " FROM blocked_hashes WHERE hash IN (SELECT value FROM json_each(?1)) AND content_id IS NOT ?2 LIMIT ?3"
    ));
    let hashes = serde_json::to_string(hashes).map_err(|error| DatabaseError::Shape(error.to_string()))?;
    database.all(select.bind(hashes).bind(own_id).bind(CANDIDATES)).await
}

fn nearest_of(frames: &[FrameHash], blocked: &BlockedHash) -> Option<NearestFrame> {
    nearest_frame(frames, blocked.hash.parse::<PictureHash>().ok()?)
}

/// The addresses of a storyboard and of its list of pictures.
type Storyboard = (Option<String>, Option<String>);

/// Returns the storyboards of the removed contents that are still stored, by their UUIDs.
async fn read_storyboards(
    database: &impl Database,
    matches: &[(NearestFrame, BlockedHash)],
    review: ReviewAddresses<'_>,
) -> Result<BTreeMap<String, Storyboard>, DatabaseError> {
    #[derive(Deserialize)]
    struct MediaRow {
        uuid: ContentUuid,
        media: String,
    }
    let uuids: Vec<&str> = matches.iter().filter_map(|(_, blocked)| blocked.content_uuid.as_deref()).collect();
    if uuids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let select = Statement::new(
        "SELECT uuid, media FROM contents WHERE uuid IN (SELECT value FROM json_each(?1)) AND media IS NOT NULL",
    );
    let uuids = serde_json::to_string(&uuids).map_err(|error| DatabaseError::Shape(error.to_string()))?;
    let rows: Vec<MediaRow> = database.all(select.bind(uuids)).await?;
    let storyboard = |row: MediaRow| {
        let media = readable(&row.uuid, "media", read_media(&row.media));
        let file = |file| review.stored_file_of(&row.uuid, media.as_ref(), file);
        (row.uuid.to_string(), (file(MediaFile::Storyboard), file(MediaFile::StoryboardTrack)))
    };
    Ok(rows.into_iter().map(storyboard).collect())
}

fn describe(nearest: NearestFrame, blocked: BlockedHash, storyboards: &BTreeMap<String, Storyboard>) -> BlocklistMatch {
    let storyboard = blocked.content_uuid.as_deref().and_then(|uuid| storyboards.get(uuid)).cloned();
    let (storyboard_url, storyboard_vtt_url) = storyboard.unwrap_or_default();
    BlocklistMatch {
        at_ms: nearest.frame.at_ms,
        hash: nearest.frame.hash.to_string(),
        distance_bits: nearest.distance,
        turned_degrees: nearest.appearance.turned_degrees,
        is_mirrored: nearest.appearance.is_mirrored,
        is_inverted: nearest.appearance.is_inverted,
        blocked,
        storyboard_url,
        storyboard_vtt_url,
    }
}
