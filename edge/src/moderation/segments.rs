//! The segments of the blocklist: the sweep packs added hashes into objects, so that a report reads a few objects
//! instead of a row for every hash.
//!
//! The hashes are packed in the order in which they were added. Until the latest segment is full, it is replaced with a
//! larger one. A segment is named by the numbers of its additions, so its name determines its bytes, and packing may be
//! repeated.

use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use crate::platform::error::PlatformError;
use crate::platform::object_store::{ObjectStore, Segment};
use contract::{ObjectKey, PictureHash};
use serde::Deserialize;
use similar_hashes::pack;

/// The maximum number of hashes in a segment: 1 MiB.
const MAX_HASHES: u32 = 32_768;
/// The minimum number of additions to pack. Fewer stay in the database, where every report reads them.
const MIN_ADDITIONS: u32 = 1_000;
/// The maximum number of segments that one run writes.
const SEGMENTS_PER_RUN: u32 = 8;
/// The time after which a replaced segment is deleted. No report takes that long.
const REST_SECONDS: u64 = 3_600;

/// The range of additions in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct SegmentRange {
    pub first_number: u64,
    pub last_number: u64,
}

impl SegmentRange {
    /// Returns the name of the segment's object.
    pub(super) fn name(self) -> String {
        let Self { first_number, last_number } = self;
        ObjectKey::BlocklistSegment { first_number, last_number }.path()
    }
}

#[derive(Deserialize)]
struct LatestSegment {
    #[serde(flatten)]
    range: SegmentRange,
    hashes: u32,
}

#[derive(Deserialize)]
struct AddedHash {
    number: u64,
    hash: String,
}

/// A segment to write.
struct NewSegment {
    range: SegmentRange,
    /// The number of the first addition that was in no segment.
    first_addition: u64,
    replaces: Option<SegmentRange>,
    bytes: Vec<u8>,
}

/// Packs the added hashes if there are enough, and returns the number of segments written.
pub(crate) async fn pack_additions<D: Database, O: ObjectStore>(
    database: &D,
    objects: &O,
    now: UnixSeconds,
) -> Result<u64, PlatformError> {
    delete_replaced(database, objects, now).await?;
    for written in 0..SEGMENTS_PER_RUN {
        let Some(segment) = next_segment(database, objects).await? else {
            return Ok(written.into());
        };
        let mut buffer = objects.segment(segment.bytes.len());
        buffer.append(&segment.bytes);
        objects.put(&segment.range.name(), &[buffer]).await?;
        record(database, &segment, now).await?;
    }
    Ok(SEGMENTS_PER_RUN.into())
}

/// Returns the next segment to write, or `None` if there are few additions.
async fn next_segment(
    database: &impl Database,
    objects: &impl ObjectStore,
) -> Result<Option<NewSegment>, PlatformError> {
    let (latest, added) = read_additions(database).await?;
    let (Some(first), Some(last)) = (added.first(), added.last()) else {
        return Ok(None);
    };
    let (first_addition, last_number) = (first.number, last.number);
    let range = SegmentRange { first_number: first_addition, last_number };
    // A hash in another format cannot be compared with today's hashes.
    let bytes = pack(added.iter().filter_map(|added| added.hash.parse::<PictureHash>().ok()));
    let has_room = |latest: &LatestSegment| usize::try_from(MAX_HASHES - latest.hashes.min(MAX_HASHES)).unwrap_or(0);
    let latest = latest.filter(|latest| added.len() <= has_room(latest));
    let Some(LatestSegment { range: replaced, .. }) = latest else {
        return Ok(Some(NewSegment { range, first_addition, replaces: None, bytes }));
    };
    let mut all = read_segment(objects, replaced).await?;
    all.extend(bytes);
    let range = SegmentRange { first_number: replaced.first_number, ..range };
    Ok(Some(NewSegment { range, first_addition, replaces: Some(replaced), bytes: all }))
}

/// Returns the bytes of a segment's object.
pub(super) async fn read_segment(objects: &impl ObjectStore, segment: SegmentRange) -> Result<Vec<u8>, PlatformError> {
    let name = segment.name();
    let missing = || PlatformError::Failed(format!("the blocklist's segment {name} is missing"));
    objects.read_whole(&name).await?.ok_or_else(missing)
}

/// Returns the latest segment, and the additions that are in no segment, if there are enough to pack.
async fn read_additions(database: &impl Database) -> Result<(Option<LatestSegment>, Vec<AddedHash>), DatabaseError> {
    let latest = Statement::new(
        "SELECT first_number, last_number, hashes FROM blocklist_segments WHERE replaced_at_unix IS NULL
         ORDER BY first_number DESC LIMIT 1",
    );
    let added = Statement::new(
        "SELECT number, hash FROM blocklist_additions
         WHERE (SELECT count(*) FROM (SELECT number FROM blocklist_additions LIMIT ?1)) = ?1
         ORDER BY number LIMIT ?2",
    );
    let mut batch = Batch::default();
    let latest = batch.query(latest);
    let added = batch.query(added.bind(MIN_ADDITIONS).bind(MAX_HASHES));
    let answers = database.run(batch).await?;
    Ok((answers.first(latest)?, answers.all(added)?))
}

/// Makes a stored segment part of the list. Has no effect if another sweep has packed the same additions.
async fn record(database: &impl Database, segment: &NewSegment, now: UnixSeconds) -> Result<(), DatabaseError> {
    let insert = Statement::new(
        "INSERT INTO blocklist_segments (first_number, last_number, hashes)
         SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM blocklist_additions WHERE number = ?4)
         ON CONFLICT DO NOTHING",
    );
    let replace = Statement::new(
        "UPDATE blocklist_segments SET replaced_at_unix = ?3 WHERE first_number = ?1 AND last_number = ?2
             AND EXISTS (SELECT 1 FROM blocklist_additions WHERE number = ?4)",
    );
    let delete = Statement::new(
        "DELETE FROM blocklist_additions WHERE number <= ?2
             AND EXISTS (SELECT 1 FROM blocklist_segments WHERE first_number = ?1 AND last_number = ?2)",
    );
    let bind = |statement: Statement, range: SegmentRange| statement.bind(range.first_number).bind(range.last_number);
    let hashes = (segment.bytes.len() / PictureHash::BYTES) as u64;
    let mut batch = Batch::default();
    batch.execute(bind(insert, segment.range).bind(hashes).bind(segment.first_addition));
    if let Some(replaced) = segment.replaces {
        batch.execute(bind(replace, replaced).bind(now).bind(segment.first_addition));
    }
    batch.execute(bind(delete, segment.range));
    database.run(batch).await.map(drop)
}

/// Deletes the objects of the segments that were replaced long ago.
async fn delete_replaced(
    database: &impl Database,
    objects: &impl ObjectStore,
    now: UnixSeconds,
) -> Result<(), PlatformError> {
    let latest = now.0.saturating_sub(REST_SECONDS);
    let select = Statement::new(
        "SELECT first_number, last_number FROM blocklist_segments WHERE replaced_at_unix <= ?1 LIMIT 100",
    );
    let replaced: Vec<SegmentRange> = database.all(select.bind(latest)).await?;
    if replaced.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = replaced.iter().map(|segment| segment.name()).collect();
    objects.delete(&names).await?;
    let mut batch = Batch::default();
    for SegmentRange { first_number, last_number } in replaced {
        let delete = Statement::new("DELETE FROM blocklist_segments WHERE first_number = ?1 AND last_number = ?2");
        batch.execute(delete.bind(first_number).bind(last_number));
    }
    database.run(batch).await.map(drop).map_err(PlatformError::from)
}
