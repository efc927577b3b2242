//! Compares published and scheduled contents with the hashes that were added after their approval.
//!
//! The sweep calls this every minute. A pass goes through all contents page by page, published contents first, and
//! compares each with the hashes that were added since the previous pass. A matching content is flagged for a
//! moderator, and stays visible until the decision. An interrupted pass continues where it stopped, and a page may be
//! repeated.

use super::flags::flag_match;
use super::kept_frames::KeptFrames;
use super::screening::{Blocklist, Comparison};
use super::segment_cache::SegmentCache;
use crate::base::ids::ContentUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, may_have_more};
use crate::platform::error::PlatformError;
use crate::platform::object_store::ObjectStore;
use contract::ContentState;
use serde::Deserialize;

/// The number of contents that one run compares. Each costs two or three operations.
const PAGE: u32 = 20;
/// The range of ids that one run looks through: most contents of a range may be in other states.
const RANGE: u64 = 2_000;
/// The memory for segments during one run.
const SEGMENT_BYTES: usize = 4 * 1024 * 1024;

/// The progress of the pass.
#[derive(Clone, Debug, Deserialize)]
struct Pass {
    done_until: u64,
    since_unix: UnixSeconds,
    state: ContentState,
    after_id: u64,
    last_id: u64,
}

#[derive(Deserialize)]
struct ApprovedContent {
    id: u64,
    uuid: ContentUuid,
    #[serde(flatten)]
    kept_frames: KeptFrames,
}

/// Compares the next page of contents, and returns how many match. Does nothing if no hash was added.
pub(crate) async fn recheck_page<D: Database, O: ObjectStore>(
    database: &D,
    objects: &O,
    now: UnixSeconds,
) -> Result<u64, PlatformError> {
    let Some(pass) = current_pass(database, now).await? else {
        return Ok(0);
    };
    let contents = read_page(database, &pass).await?;
    let segments = SegmentCache::new(SEGMENT_BYTES);
    let blocklist = Blocklist { database, objects, segments: &segments };
    let mut flagged = 0;
    for content in &contents {
        flagged += u64::from(recheck(&blocklist, content, &pass, now).await?);
    }
    let is_full = may_have_more(contents.len(), PAGE);
    let last_read = contents.last().filter(|_| is_full).map_or(pass.after_id + RANGE, |last| last.id);
    advance(database, &pass, last_read).await?;
    Ok(flagged)
}

/// Flags the content if it matches a hash that was added since the last pass.
async fn recheck<D: Database, O: ObjectStore>(
    blocklist: &Blocklist<'_, D, O>,
    content: &ApprovedContent,
    pass: &Pass,
    now: UnixSeconds,
) -> Result<bool, PlatformError> {
    let frames = content.kept_frames.read(blocklist.objects, &content.uuid).await?;
    let mut comparison = Comparison::after(&frames, pass.done_until);
    let matching = comparison.matching(blocklist).await?;
    if matching.is_empty() {
        return Ok(false);
    }
    flag_match(blocklist.database, content.id, &matching, pass.since_unix, now).await.map_err(PlatformError::from)
}

/// Returns the running pass. Starts a pass if hashes were added since the last one began.
async fn current_pass(database: &impl Database, now: UnixSeconds) -> Result<Option<Pass>, DatabaseError> {
    const LATEST_NUMBER: &str = "max(coalesce((SELECT max(number) FROM blocklist_additions), 0),
                 coalesce((SELECT max(last_number) FROM blocklist_segments), 0))";
    let start = Statement::new(constcat::concat!(
        "UPDATE recheck SET pass_until = ",
        LATEST_NUMBER,
        ", pass_since_unix = ?1, state = 'published', after_id = 0
         WHERE pass_until IS NULL AND done_until < ",
        LATEST_NUMBER
    ));
    let read = Statement::new(
        "SELECT done_until, since_unix, state, after_id, (SELECT coalesce(max(id), 0) FROM contents) AS last_id
         FROM recheck WHERE pass_until IS NOT NULL",
    );
    let mut batch = Batch::default();
    batch.execute(start.bind(now));
    let pass = batch.query(read);
    database.run(batch).await?.first(pass)
}

async fn read_page(database: &impl Database, pass: &Pass) -> Result<Vec<ApprovedContent>, DatabaseError> {
    let select = Statement::new(
        "SELECT contents.id, uuid, media_generation AS generation, fingerprint,
             thumbnail ->> '$.frames' AS thumbnail_frames
         FROM contents LEFT JOIN reports ON content_id = contents.id AND reports.generation = media_generation
         WHERE contents.id > ?1 AND contents.id <= ?2 AND state = ?3 AND media_generation IS NOT NULL
             AND (fingerprint IS NOT NULL OR is_compacted = 1)
         ORDER BY contents.id LIMIT ?4",
    );
    let select = select.bind(pass.after_id).bind(pass.after_id + RANGE);
    database.all(select.bind(pass.state).bind(PAGE)).await
}

/// Advances the pass. Has no effect if another run has advanced it.
async fn advance(database: &impl Database, pass: &Pass, last_read: u64) -> Result<(), DatabaseError> {
    let (state, after_id, is_over) = match (last_read >= pass.last_id, pass.state) {
        (false, state) => (state, last_read, false),
        (true, ContentState::Published) => (ContentState::Scheduled, 0, false),
        (true, _) => (ContentState::Published, 0, true),
    };
    let update = Statement::new(
        "UPDATE recheck SET state = ?3, after_id = ?4,
             done_until = iif(?5, pass_until, done_until), since_unix = iif(?5, pass_since_unix, since_unix),
             pass_until = iif(?5, NULL, pass_until)
         WHERE state = ?1 AND after_id = ?2 AND pass_until IS NOT NULL",
    );
    let update = update.bind(pass.state).bind(pass.after_id).bind(state).bind(after_id);
    database.execute(update.bind(u32::from(is_over))).await
}
