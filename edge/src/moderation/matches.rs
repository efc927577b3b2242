//! Shows a moderator which frames of a video resemble blocked pictures, and finds the hash of a frame.

use super::kept_frames::read_kept_frames;
use super::review_address::ReviewAddresses;
use super::screening::{Blocklist, Comparison};
use crate::base::ids::ContentUuid;
use crate::contents::life::packed_media::read_media;
use crate::contents::status::readable;
use crate::platform::database::{Database, DatabaseError, Statement, json_text};
use crate::platform::error::PlatformError;
use crate::platform::object_store::ObjectStore;
use contract::api::{BlockedHash, BlocklistMatch, BlocklistMatches, FrameFound, StoredFrame};
use contract::moderation::FrameHash;
use contract::{MediaFile, PictureHash};
use serde::Deserialize;
use similar_hashes::{NearestFrame, nearest_frame};
use std::collections::BTreeMap;

/// The maximum number of matches returned.
const MAX_MATCHES: usize = 12;
/// The maximum number of matching hashes that are ranked. Farther ones are then left out by chance.
const MAX_RANKED: usize = 2_000;
/// The hashes whose entries one statement reads.
const CHUNK: usize = 100;

/// A blocked picture, and the frame that is most similar to it.
type Match = (NearestFrame, BlockedHash);

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
    let mut matches = nearest_entries(blocklist.database, &rank(&frames, &matching), content_id).await?;
    let has_more = matches.len() > MAX_MATCHES;
    matches.truncate(MAX_MATCHES);
    let storyboards = read_storyboards(blocklist.database, &matches, review).await?;
    let matches = matches.into_iter().map(|(nearest, blocked)| describe(nearest, blocked, &storyboards)).collect();
    Ok(Some(BlocklistMatches { success: true, matches, has_hashes: !frames.is_empty(), has_more }))
}

/// Returns the stored frame that is nearest to `at_ms`, or `None` if there is no such content.
pub(crate) async fn find_frame(
    database: &impl Database,
    objects: &impl ObjectStore,
    content_uuid: &ContentUuid,
    at_ms: u64,
) -> Result<Option<FrameFound>, PlatformError> {
    if find_id(database, content_uuid).await?.is_none() {
        return Ok(None);
    }
    let frames = read_kept_frames(database, objects, content_uuid).await?;
    let Some(frame) = frames.iter().min_by_key(|frame| frame.at_ms.abs_diff(at_ms)) else {
        return Ok(Some(FrameFound { success: true, frame: None }));
    };
    let hash = frame.hash.to_string();
    let select = Statement::new("SELECT 1 FROM blocked_hashes WHERE hash = ?1 LIMIT 1");
    let is_blocked = database.returns_rows(select.bind(hash.as_str())).await?;
    let frame = StoredFrame { at_ms: frame.at_ms, hash, is_blocked };
    Ok(Some(FrameFound { success: true, frame: Some(frame) }))
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

/// Returns the matching hashes with their nearest frames, the most similar first.
fn rank(frames: &[FrameHash], matching: &[String]) -> Vec<(NearestFrame, String)> {
    let nearest = |hash: &String| Some((nearest_frame(frames, hash.parse::<PictureHash>().ok()?)?, hash.clone()));
    let mut ranked: Vec<_> = matching.iter().take(MAX_RANKED).filter_map(nearest).collect();
    ranked.sort_by(|(one, hash), (other, other_hash)| (one.distance, hash).cmp(&(other.distance, other_hash)));
    ranked
}

/// Returns the entries of the nearest hashes in their order, one more than are shown.
async fn nearest_entries(
    database: &impl Database,
    ranked: &[(NearestFrame, String)],
    own_id: u64,
) -> Result<Vec<Match>, DatabaseError> {
    let mut matches = Vec::new();
    for chunk in ranked.chunks(CHUNK) {
        let mut entries = read_entries(database, chunk, own_id).await?;
        let listed = chunk.iter().filter_map(|(nearest, hash)| Some((*nearest, entries.remove(hash)?)));
        matches.extend(listed.take(MAX_MATCHES + 1 - matches.len()));
        if matches.len() > MAX_MATCHES {
            break;
        }
    }
    Ok(matches)
}

/// Returns the first entry of each hash that another content has, or that was added directly.
async fn read_entries(
    database: &impl Database,
    hashes: &[(NearestFrame, String)],
    own_id: u64,
) -> Result<BTreeMap<String, BlockedHash>, DatabaseError> {
    let select = Statement::new(constcat::concat!(
        "SELECT hash, reason, added_by AS \"by\", added_at_unix, nullif(content_uuid, '') AS content_uuid, at_ms, ",
        super::blocklist::CAUGHT_COLUMN,
        " FROM json_each(?1) CROSS JOIN blocked_hashes ON hash = value AND content_uuid = (
             SELECT content_uuid FROM blocked_hashes WHERE hash = value AND content_id IS NOT ?2 LIMIT 1)"
    ));
    let hashes: Vec<&str> = hashes.iter().map(|(_, hash)| hash.as_str()).collect();
    let rows: Vec<BlockedHash> = database.all(select.bind(json_text(&hashes)?).bind(own_id)).await?;
    Ok(rows.into_iter().map(|row| (row.hash.clone(), row)).collect())
}

/// The addresses of a storyboard and of its list of pictures.
type Storyboard = (Option<String>, Option<String>);

/// Returns the storyboards of the removed contents that are still stored, by their UUIDs.
async fn read_storyboards(
    database: &impl Database,
    matches: &[Match],
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
    let rows: Vec<MediaRow> = database.all(select.bind(json_text(&uuids)?)).await?;
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
