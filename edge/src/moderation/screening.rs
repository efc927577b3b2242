//! Compares a report's frames with the blocklist before the report is accepted.
//!
//! The list is read before the transaction that accepts the report. That transaction requires that the list still has
//! the version returned here, so a hash that is added before the acceptance is never missed. If the list has changed,
//! only the hashes added since are compared.

use super::segment_cache::SegmentCache;
use super::segments::{SegmentRange, read_segment};
use crate::platform::database::{Database, DatabaseError, Statement, json_text, may_have_more};
use crate::platform::error::PlatformError;
use crate::platform::object_store::ObjectStore;
use contract::PictureHash;
use contract::limits::MAX_SAFE_INTEGER;
use contract::moderation::{Finding, FrameHash};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use similar_hashes::{BlockedFrame, BlocklistSearch, FrameGroups};
use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;

/// The maximum number of additions that one statement reads: a few hundred kilobytes.
const PAGE: u32 = 5_000;
/// The number of segments that are read ahead. The platform allows six connections at a time.
const SEGMENTS_AT_ONCE: usize = 4;
/// The maximum number of hashes that are recorded as having caught a video.
const MAX_CATCHES: usize = 20;
/// The maximum number of matching hashes that one statement looks up: a parameter has at most 2 MB.
const LOOKUP: usize = 10_000;

/// The sources of the blocklist: the database, and segments in the object store.
pub(crate) struct Blocklist<'a, D, O> {
    pub database: &'a D,
    pub objects: &'a O,
    pub segments: &'a SegmentCache,
}

/// The result of comparing frames with one version of the blocklist.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Screening {
    /// `None` if there were no frames to compare, so that the list does not matter.
    pub version: Option<u64>,
    pub finding: Option<Finding>,
    /// The hashes of the list that caught the video, at most `MAX_CATCHES`.
    pub caught_by: Vec<String>,
}

/// The comparison of a video's frames with the blocklist, which can be brought up to date.
pub(crate) struct Comparison<'a> {
    frames: &'a [FrameHash],
    groups: FrameGroups,
    /// The number of the latest addition that has been compared.
    compared_until: u64,
    /// The hashes that match a frame. They may have been removed from the list.
    matching: BTreeSet<PictureHash>,
}

/// A row of the list: its version, a segment with the version, or an addition.
#[derive(Deserialize)]
struct ListRow {
    version: Option<u64>,
    first_number: Option<u64>,
    last_number: Option<u64>,
    hash: Option<String>,
}

/// The first page of additions to the list after a number.
struct ListPage {
    version: Option<u64>,
    segments: Vec<SegmentRange>,
    /// Additions that are in no segment yet.
    additions: Vec<(u64, String)>,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(frames: &'a [FrameHash]) -> Self {
        Self { frames, groups: FrameGroups::new(frames), compared_until: 0, matching: BTreeSet::new() }
    }

    /// Compares only hashes that were added after a number. A segment with later additions is compared as a whole.
    pub(crate) fn after(frames: &'a [FrameHash], number: u64) -> Self {
        Self { compared_until: number, ..Self::new(frames) }
    }

    /// Returns the hashes that match. They may have been removed from the list.
    pub(crate) async fn matching<D: Database, O: ObjectStore>(
        &mut self,
        blocklist: &Blocklist<'_, D, O>,
    ) -> Result<Vec<String>, DatabaseError> {
        if !self.frames.is_empty() {
            self.compare_all(blocklist).await?;
        }
        Ok(self.matching.iter().map(PictureHash::to_string).collect())
    }

    /// Compares the frames with the hashes that were added since the last call, and judges all matches.
    pub(crate) async fn update<D: Database, O: ObjectStore>(
        &mut self,
        blocklist: &Blocklist<'_, D, O>,
    ) -> Result<Screening, DatabaseError> {
        if self.frames.is_empty() {
            return Ok(Screening::default());
        }
        let version = self.compare_all(blocklist).await?;
        let (finding, caught_by) = self.judge(blocklist.database).await?;
        Ok(Screening { version, finding, caught_by })
    }

    /// Compares the frames with hashes added since the last call. Returns the version of the list at the start.
    async fn compare_all<D: Database, O: ObjectStore>(
        &mut self,
        blocklist: &Blocklist<'_, D, O>,
    ) -> Result<Option<u64>, DatabaseError> {
        let mut first_version = None;
        loop {
            let page = read_page(blocklist.database, self.compared_until).await?;
            // The first version counts: any change since then increases it.
            first_version = first_version.or(page.version);
            self.compare(&page, blocklist).await.map_err(unavailable)?;
            if !may_have_more(page.additions.len(), PAGE) {
                return Ok(first_version);
            }
        }
    }

    async fn compare<D, O: ObjectStore>(
        &mut self,
        page: &ListPage,
        blocklist: &Blocklist<'_, D, O>,
    ) -> Result<(), PlatformError> {
        if self.compared_until == 0 {
            let names: Vec<_> = page.segments.iter().map(|segment| segment.name()).collect();
            blocklist.segments.retain(&names);
        }
        let read =
            async |segment: &SegmentRange| Ok::<_, PlatformError>((*segment, blocklist.segment(*segment).await?));
        let mut segments = pin!(stream::iter(&page.segments).map(read).buffered(SEGMENTS_AT_ONCE));
        while let Some((segment, bytes)) = segments.try_next().await? {
            self.groups.find_matches(&bytes, &mut self.matching);
            self.compared_until = self.compared_until.max(segment.last_number);
        }
        for (number, hash) in &page.additions {
            // A hash in another format cannot be compared with today's hashes.
            let hash = hash.parse().ok().filter(|hash| self.groups.is_match(*hash));
            self.matching.extend(hash);
            self.compared_until = self.compared_until.max(*number);
        }
        Ok(())
    }

    /// Returns the finding about the hashes that match and are still on the list, and the first of these hashes. The
    /// finding counts all hashes of their contents.
    async fn judge(&self, database: &impl Database) -> Result<(Option<Finding>, Vec<String>), DatabaseError> {
        let matching: Vec<_> = self.matching.iter().map(PictureHash::to_string).collect();
        // A hash may belong to several contents.
        let mut rows = BTreeSet::new();
        for some in matching.chunks(LOOKUP) {
            rows.extend(read_contents(database, some).await?);
        }
        let mut numbering = Numbering(MAX_SAFE_INTEGER);
        let blocked: Vec<_> =
            rows.iter().filter_map(|(hash, content)| numbering.blocked_frame(hash, *content)).collect();
        let mut search = BlocklistSearch::new(self.frames);
        search.add_page(&blocked);
        let listed: BTreeSet<&str> = rows.iter().map(|(hash, _)| hash.as_str()).collect();
        let caught_by = matching.iter().filter(|hash| listed.contains(hash.as_str())).take(MAX_CATCHES);
        Ok((search.finding(), caught_by.cloned().collect()))
    }
}

impl<D, O: ObjectStore> Blocklist<'_, D, O> {
    async fn segment(&self, segment: SegmentRange) -> Result<Arc<Vec<u8>>, PlatformError> {
        let name = segment.name();
        if let Some(kept) = self.segments.get(&name) {
            return Ok(kept);
        }
        let bytes = Arc::new(read_segment(self.objects, segment).await?);
        self.segments.keep(&name, &bytes);
        Ok(bytes)
    }
}

/// Assigns each hash to the content that it belongs to.
///
/// A hash that a moderator added directly belongs to no content. It gets a number of its own, counted down from the
/// largest safe integer, which no id reaches.
struct Numbering(u64);

impl Numbering {
    /// Returns `None` for a hash in a different format.
    fn blocked_frame(&mut self, hash: &str, content: Option<u64>) -> Option<BlockedFrame> {
        let hash: PictureHash = hash.parse().ok()?;
        let content = content.unwrap_or_else(|| {
            self.0 -= 1;
            self.0
        });
        Some(BlockedFrame { content, hash })
    }
}

/// Reads the additions after a number and the list's version, as of one moment.
async fn read_page(database: &impl Database, after: u64) -> Result<ListPage, DatabaseError> {
    let read = Statement::new(
        "SELECT version, first_number, last_number, NULL AS hash FROM blocklist_version
             LEFT JOIN blocklist_segments ON replaced_at_unix IS NULL AND last_number > ?1
         UNION ALL
         SELECT * FROM (SELECT NULL, NULL, number, hash FROM blocklist_additions
             WHERE number > ?1 ORDER BY number LIMIT ?2)",
    );
    let mut page = ListPage { version: None, segments: Vec::new(), additions: Vec::new() };
    for row in database.all::<ListRow>(read.bind(after).bind(PAGE)).await? {
        page.version = page.version.or(row.version);
        match (row.first_number, row.last_number, row.hash) {
            (Some(first_number), Some(last_number), _) => {
                page.segments.push(SegmentRange { first_number, last_number });
            }
            (_, Some(number), Some(hash)) => page.additions.push((number, hash)),
            _ => {}
        }
    }
    Ok(page)
}

/// Returns the given hashes that are still on the list, with all other hashes of their contents.
async fn read_contents(
    database: &impl Database,
    hashes: &[String],
) -> Result<Vec<(String, Option<u64>)>, DatabaseError> {
    #[derive(Deserialize)]
    struct BlockedHashRow {
        hash: String,
        content_id: Option<u64>,
    }
    let select = Statement::new(
        "SELECT hash, content_id FROM blocked_hashes WHERE content_id IN
             (SELECT content_id FROM blocked_hashes WHERE hash IN (SELECT value FROM json_each(?1)))
         UNION ALL
         SELECT hash, NULL FROM blocked_hashes
         WHERE content_id IS NULL AND hash IN (SELECT value FROM json_each(?1))",
    );
    let rows: Vec<BlockedHashRow> = database.all(select.bind(json_text(hashes)?)).await?;
    Ok(rows.into_iter().map(|row| (row.hash, row.content_id)).collect())
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes it by value")]
fn unavailable(error: PlatformError) -> DatabaseError {
    DatabaseError::Unavailable(error.to_string())
}
